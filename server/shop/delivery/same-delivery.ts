import type { PostalAddress } from '../../../contract/delivery/address-format.ts';
import { findZone } from '../../../contract/delivery/rates.ts';
import type { Shipping } from '../../../contract/delivery/shipping-rates.ts';
import { ShopError } from '../../../contract/errors.ts';
import type { Tx } from '../../database/schema.ts';
import type { OrderRow } from '../orders/queries.ts';
import { checkoutIncomplete } from './problems.ts';
import { isSentTo, withoutPrefix } from './quote.ts';
import { listQuotedLines } from './quoted-lines.ts';

/**
 * Throws 409 if the new address of a locked purchase is in another zone than the current one, where delivery may cost something else,
 * or if a product is not sent there.
 */
export async function requireSameDelivery(
  tx: Tx,
  orders: readonly OrderRow[],
  { zones }: Shipping,
  { current, wanted, isAdmin }: { current: PostalAddress; wanted: PostalAddress; isAdmin: boolean },
): Promise<void> {
  await requireSentTo(tx, orders, wanted.country);
  const zone = findZone(zones, withoutPrefix(wanted));
  if (findZone(zones, withoutPrefix(current)) === zone) return;
  if (!zone) throw checkoutIncomplete(['no_rate']);
  const advice = isAdmin ? 'Refund it, and ask the customer to order again.' : 'Contact us.';
  const detail = `Delivery to this address may cost something else, so the order cannot be sent there as it was paid. ${advice}`;
  throw new ShopError('checkout_incomplete', detail, { data: { problems: ['rate_gone'] } });
}

/** Throws 409 if a product of these orders is not sent to this country. */
export async function requireSentTo(tx: Tx, orders: readonly OrderRow[], country: string): Promise<void> {
  const lines = await listQuotedLines(tx, orders);
  if (lines.some((line) => !isSentTo(line, country))) throw checkoutIncomplete(['not_to']);
}
