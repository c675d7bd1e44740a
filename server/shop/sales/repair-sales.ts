import { sql } from 'kysely';
import { hourMs } from '../../../contract/durations.ts';
import { getDayStart, toDate, toDay } from '../../config/time-zone.ts';
import type { Database } from '../../database/database.ts';
import { recountDay, type SalesShop } from './daily-totals.ts';
import { countedUntil, paidOrders, purchaseCount, soldAt } from './sales.ts';

const daysPerRun = 7;

/**
 * Checks the totals of up to `daysPerRun` completely counted days before the day `before`, the latest first. Returns the last day
 * that it has checked, which is `before` in the next run. After the first day of all, returns infinity, to start over.
 */
export async function repairSales(shop: SalesShop, before: number): Promise<number> {
  const { timeZone } = shop.config;
  const { rows } = await sql<{
    until: number;
    first: number | null;
  }>`select ${countedUntil(timeZone)} as until,
      (select ${soldAt} from purchase where ${soldAt} >= 0 order by ${soldAt} limit 1) as first`.execute(
    shop.database.db,
  );
  const { until = 0, first = null } = rows[0] ?? {};
  const firstDay = first === null ? Infinity : toDay(first, timeZone);
  let day = Math.min(before, toDay(until, timeZone));
  for (let checked = 0; checked < daysPerRun; checked++) {
    if (--day < firstDay) return Infinity;
    await repairDay(shop, day);
  }
  return day;
}

/** Counts a day again if its totals differ from its orders. */
async function repairDay({ database, config, log }: SalesShop, day: number): Promise<void> {
  const [orders, totals, products] = [
    await sumOrders(database, day, config.timeZone),
    await sumTotals(database, day),
    await sumProducts(database, day),
  ];
  const withoutCounts = (sums: Sum[]) => sums.map((sum) => ({ ...sum, orders: 0 }));
  if (format(totals) === format(orders) && format(products) === format(withoutCounts(orders))) return;
  log.warn({ day: toDate(day) }, 'the totals of a day were wrong and have been recounted');
  await database.transaction((tx) => recountDay(tx, day, config.timeZone));
}

/** `revenue` is in minor units; `orders` counts purchases. */
type Sum = { currency: string; revenue: number; orders: number };

/** Reads the day hour by hour: on SQLite, nothing else runs during a statement. */
async function sumOrders({ db }: Database, day: number, timeZone: string): Promise<Sum[]> {
  const sums = new Map<string, Sum>();
  const end = getDayStart(day + 1, timeZone);
  for (let from = getDayStart(day, timeZone); from < end; from += hourMs) {
    const { rows } =
      await sql<Sum>`select currency, cast(sum(order_line.total) as bigint) as revenue, ${purchaseCount} as orders
      from ${paidOrders(from, Math.min(from + hourMs, end))} group by currency`.execute(db);
    for (const { currency, revenue, orders } of rows) {
      const sum = sums.getOrInsert(currency, { currency, revenue: 0, orders: 0 });
      sum.revenue += revenue;
      sum.orders += orders;
    }
  }
  return [...sums.values()];
}

const sumTotals = ({ db }: Database, day: number): Promise<Sum[]> =>
  db.selectFrom('sales_by_day').select(['currency', 'revenue', 'orders']).where('day', '=', day).execute();

async function sumProducts({ db }: Database, day: number): Promise<Sum[]> {
  const { rows } = await sql<Sum>`select currency, cast(sum(revenue) as bigint) as revenue, 0 as orders
    from product_sales_by_day where day = ${day} group by currency`.execute(db);
  return rows;
}

const format = (sums: Sum[]): string =>
  sums
    .map(({ currency, revenue, orders }) => `${currency} ${revenue} ${orders}`)
    .toSorted()
    .join();
