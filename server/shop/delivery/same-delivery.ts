import type { PostalAddress } from '../../../contract/delivery/address-format.ts';
import { findZone, foldPostcode, hasPostcodes } from '../../../contract/delivery/rates.ts';
import type { Shipping } from '../../../contract/delivery/shipping-rates.ts';
import { ShopError } from '../../../contract/errors.ts';
import type { Tx } from '../../database/schema.ts';
import type { OrderRow } from '../orders/queries.ts';
import { checkoutIncomplete } from './problems.ts';
import { isSentTo, withoutPrefix } from './quote.ts';
import { listQuotedLines } from './quoted-lines.ts';

/**
 * Throws 409 if the chosen rate does not deliver to the new address of a locked purchase, or if a product is not sent to its
 * country. If the country and the postcode stay the same, any change is allowed, even if the rates have changed since.
 */
export async function requireSameDelivery(
  tx: Tx,
  orders: readonly OrderRow[],
  { zones }: Shipping,
  {
    current,
    wanted,
    rate,
    isAdmin,
  }: { current: PostalAddress; wanted: PostalAddress; rate: string; isAdmin: boolean },
): Promise<void> {
  const place = withoutPrefix(wanted);
  if (wanted.country !== current.country) await requireSentTo(tx, orders, wanted.country);
  else if (foldPostcode(place.postcode) === foldPostcode(withoutPrefix(current).postcode)) return;
  if (foldPostcode(place.postcode) === '' && hasPostcodes(zones, place.country))
    throw checkoutIncomplete(['postcode']);
  const { rates = [] } = findZone(zones, place) ?? {};
  if (rates.some(({ _id }) => _id === rate)) return;
  if (rates.length === 0) throw checkoutIncomplete(['no_rate']);
  const advice = isAdmin ? 'Refund the order, and ask the customer to order again.' : 'Contact us.';
  const detail = `Delivery to this address may have a different price, so this order cannot be sent there. ${advice}`;
  throw new ShopError('checkout_incomplete', detail, { data: { problems: ['rate_gone'] } });
}

/** Throws 409 if these orders cannot be sent to this address any more, because the shop has stopped delivering there. */
export async function requireDelivered(
  tx: Tx,
  orders: readonly OrderRow[],
  { zones }: Shipping,
  shipTo: PostalAddress,
): Promise<void> {
  await requireSentTo(tx, orders, shipTo.country);
  const { rates = [] } = findZone(zones, withoutPrefix(shipTo)) ?? {};
  if (rates.length === 0) throw checkoutIncomplete(['no_rate']);
}

/** Throws 409 if a product of these orders is not sent to this country. */
async function requireSentTo(tx: Tx, orders: readonly OrderRow[], country: string): Promise<void> {
  const lines = await listQuotedLines(tx, orders);
  if (lines.some((line) => !isSentTo(line, country))) throw checkoutIncomplete(['not_to']);
}
