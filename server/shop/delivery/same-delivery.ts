import type { PostalAddress } from '../../../contract/delivery/address-format.ts';
import { foldPostcode } from '../../../contract/delivery/rates.ts';
import { ShopError } from '../../../contract/errors.ts';
import type { Tx } from '../../database/schema.ts';
import type { OrderRow } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';
import { explainProblem } from './problems.ts';
import { computeQuote } from './quote.ts';
import { listQuotedLines, readContext } from './quoted-lines.ts';
import { readShipping } from './shipping.ts';
import { parseAddress } from './stored-address.ts';

/**
 * Throws 409 unless the chosen rate of a locked purchase also delivers to this address. A rate belongs to one zone, so delivery then
 * costs the same. A correction within the same postcode is always possible, even if the rate is no longer offered.
 */
export async function requireSameDelivery(
  shop: Shop,
  tx: Tx,
  orders: readonly [OrderRow, ...OrderRow[]],
  shipTo: PostalAddress,
): Promise<void> {
  const [{ purchase_id, currency }] = orders;
  const purchase = await tx
    .selectFrom('purchase')
    .select(['rate', 'ship_to'])
    .where('id', '=', purchase_id)
    .executeTakeFirst();
  // Without a rate, delivery was not charged, or has to be chosen again.
  if (!purchase || purchase.rate === null || purchase.ship_to === null) return;
  const current = parseAddress(purchase.ship_to);
  const isSamePostcode = foldPostcode(current.postcode) === foldPostcode(shipTo.postcode);
  if (current.country === shipTo.country && isSamePostcode) return;
  const lines = await listQuotedLines(tx, orders);
  const shipping = await readShipping(tx);
  const context = await readContext(shop, shipping, currency);
  const quote = computeQuote(context, shipping, lines, shipTo, purchase.rate);
  if (quote.problems.length === 0) return;
  const [problem = 'rate_gone'] = quote.problems;
  const detail =
    problem === 'rate_gone'
      ? 'Delivery to this address costs something else, so the order cannot be sent there as it was paid. Contact us.'
      : explainProblem(problem);
  throw new ShopError('checkout_incomplete', detail, { data: { problems: quote.problems } });
}
