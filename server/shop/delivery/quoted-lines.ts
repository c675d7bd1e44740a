import type { Shipping } from '../../../contract/delivery/shipping-rates.ts';
import type { Db, Tx } from '../../database/schema.ts';
import type { OrderRow } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';
import { readDaysOff } from './holidays.ts';
import type { QuoteContext, QuotedLine } from './quote.ts';

/** The products of these orders as a quote needs them. A deleted product has no weight, and is sent everywhere. */
export async function listQuotedLines(db: Db | Tx, orders: readonly OrderRow[]): Promise<QuotedLine[]> {
  const products = await db
    .selectFrom('product')
    .select(['id', 'weight', 'not_to'])
    .where(
      'id',
      'in',
      orders.map(({ product_id }) => product_id),
    )
    .execute();
  return orders.map(({ product_id, product_name, quantity, total }) => {
    const { weight, not_to } = products.find(({ id }) => id === product_id) ?? { weight: null, not_to: null };
    return { name: product_name, quantity, total, weight, not_to };
  });
}

/** Reads the facts about the shop that a quote in a currency needs. */
export const readContext = async (
  { config: { timeZone } }: Pick<Shop, 'config'>,
  shipping: Shipping,
  currency: string,
): Promise<QuoteContext> => ({
  currency,
  timeZone,
  daysOff: await readDaysOff(shipping),
  now: Date.now(),
});
