import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';
import { countedUntil, dayMs, paidOrders, recentDays, soldAt, toDate } from './sales.ts';

const maxDays = 1000;

/**
 * Lists the days whose totals differ from their orders or from the totals of their products, as `2026-11-22`, and the word
 * `recent` if the sums of the recent days differ from those days. Reads all paid orders.
 */
export async function compareSales(db: Db): Promise<string[]> {
  const day = sql`${soldAt} / ${sql.lit(dayMs)}`;
  const { rows: days } = await sql<{ day: number }>`
    select day from (
      select day, currency, orders, revenue, revenue as product_revenue from sales_by_day
      union all
      select ${day}, currency, -count(*), -sum(total), 0 from ${paidOrders(0, countedUntil)} group by 1, 2
      union all
      select day, currency, 0, 0, -sum(revenue) from product_sales_by_day group by 1, 2
    ) as parts
    group by day
    having sum(orders) <> 0 or sum(revenue) <> 0 or sum(product_revenue) <> 0
    order by day desc limit ${maxDays}`.execute(db);
  const { rows: recent } = await sql`
    select 1 from (
      select currency, product_id, pieces, revenue from recent_product_sales
      union all
      select currency, product_id, -sum(pieces), -sum(revenue) from product_sales_by_day
      where day > ${countedUntil} / ${sql.lit(dayMs)} - ${sql.lit(recentDays)}
      group by 1, 2
    ) as parts
    group by currency, product_id
    having sum(pieces) <> 0 or sum(revenue) <> 0
    limit 1`.execute(db);
  return [...days.map((row) => toDate(row.day)), ...(recent.length > 0 ? ['recent'] : [])];
}
