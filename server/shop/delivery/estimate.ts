import type { DeliveryEstimate } from '../../../contract/delivery/quotes.ts';
import { isDeliverySetUp } from '../../../contract/delivery/rates.ts';
import type { Db } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import type { ProductRow } from '../products/products.ts';
import type { Shop } from '../shop.ts';
import { estimateDelivery, type QuotedLine } from './quote.ts';
import { parseAddress } from './stored-address.ts';

/** The field that is added to a product or a basket; absent as long as the shop has no delivery rates. */
type Estimated = { delivery?: DeliveryEstimate };

/**
 * Returns a function that estimates what delivery costs: to `country`, otherwise to the country of the viewer's newest address, and
 * otherwise to the one that the shop sends from.
 */
export async function createEstimator(
  { database: { db }, currency, readShownShipping }: Shop,
  viewer: SessionUser | undefined,
  country?: string,
): Promise<(lines: readonly QuotedLine[]) => Estimated> {
  const shipping = await readShownShipping();
  if (!isDeliverySetUp(shipping)) return () => ({});
  const to = country ?? (viewer && (await findOwnCountry(db, viewer.id))) ?? shipping.shipsFrom;
  return (lines) => ({ delivery: estimateDelivery(currency, shipping, lines, to) });
}

/** The smallest order of a product, for an estimator. */
export const toSmallestOrder = ({ name, price, minimum, weight, not_to }: ProductRow): [QuotedLine] => [
  { name, quantity: minimum, total: price * minimum, weight, not_to },
];

/** The country of the newest address in the address book; otherwise that of the newest purchase with one. */
async function findOwnCountry(db: Db, userId: string): Promise<string | undefined> {
  const saved = await db
    .selectFrom('address')
    .select('value')
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (saved) return parseAddress(saved.value).country;
  const last = await db
    .selectFrom('purchase')
    .select('ship_to')
    .where('user_id', '=', userId)
    .where('ship_to', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.ship_to ? parseAddress(last.ship_to).country : undefined;
}
