import { sql } from 'kysely';
import { toDate, toDay } from '../../config/time-zone.ts';
import type { Db } from '../../database/schema.ts';
import { getRecentStart } from './daily-totals.ts';
import { listPeriods } from './period-totals.ts';
import { countedUntil, dayOf, paidOrders, paidPurchases, soldAt } from './sales.ts';

const maxDays = 1000;

/**
 * Lists what differs: days (`2026-11-22`) whose totals do not match their orders or the totals of their products; weeks
 * (`week of 2026-11-16`), months (`2026-11`) and years (`2026`) whose totals do not match their days; and `recent`
 * if the sums of the recent days do not match. Reads all paid orders.
 */
export async function compareSales(db: Db, timeZone: string): Promise<string[]> {
  const until = countedUntil(timeZone);
  const { rows: firstSold } = await sql<{ first: number | null; until: number }>`select ${until} as until,
    (select ${soldAt} from purchase where ${soldAt} >= 0 order by ${soldAt} limit 1) as first`.execute(db);
  const counted = firstSold[0]?.until ?? 0;
  // Nothing is counted yet, or the totals of another time zone have not been dropped yet.
  if (counted === 0) return [];
  const first = firstSold[0]?.first ?? counted;
  const days = { from: toDay(first, timeZone), to: toDay(Math.max(first, counted), timeZone) };
  const day = dayOf(soldAt, days, timeZone);
  const { rows: different } = await sql<{ day: number }>`
    select day from (
      select day, currency, orders, revenue, 0 as product_revenue from sales_by_day
      union all
      select ${day}, currency, -count(*), -sum(total), 0 from ${paidPurchases(first, until)} group by 1, 2
      union all
      select ${day}, currency, 0, 0, sum(order_line.total) from ${paidOrders(first, until)} group by 1, 2
      union all
      select day, currency, 0, 0, -sum(revenue) from product_sales_by_day group by 1, 2
    ) as parts
    group by day
    having sum(orders) <> 0 or sum(revenue) <> 0 or sum(product_revenue) <> 0
    order by day desc limit ${maxDays}`.execute(db);
  return [...different.map((row) => toDate(row.day)), ...(await comparePeriods(db, timeZone))];
}

/** Lists the periods whose totals of products do not match their days. */
async function comparePeriods(db: Db, timeZone: string): Promise<string[]> {
  const { rows } = await sql<{
    until: number;
    first: number | null;
  }>`select ${countedUntil(timeZone)} as until,
    (select min(day) from product_sales_by_day) as first`.execute(db);
  const { until = 0, first = null } = rows[0] ?? {};
  const today = toDay(until, timeZone);
  const periods = listPeriods(first ?? today, today).map(({ name, start, end }) => ({
    name,
    totals: sql`product_sales_by_period where period = ${name}`,
    start,
    end: Math.min(end, today),
  }));
  const recent = {
    name: 'recent',
    totals: sql`recent_product_sales`,
    start: getRecentStart(until, timeZone),
    end: today + 1,
  };
  const different: string[] = [];
  for (const { name, totals, start, end } of [...periods, recent]) {
    const { rows: products } = await sql`
      select 1 from (
        select currency, product_id, pieces, revenue from ${totals}
        union all
        select currency, product_id, -sum(pieces), -sum(revenue) from product_sales_by_day
        where day >= ${start} and day < ${end}
        group by 1, 2
      ) as parts
      group by currency, product_id
      having sum(pieces) <> 0 or sum(revenue) <> 0
      limit 1`.execute(db);
    if (products.length > 0) different.push(name);
  }
  return different;
}
