import { sql } from 'kysely';
import { hourMs } from '../../../contract/durations.ts';
import { getDayStart, toDate, toDay } from '../../config/time-zone.ts';
import type { Database } from '../../database/database.ts';
import { recountDay, type SalesShop } from './daily-totals.ts';
import { countedUntil, paidOrders, paidPurchases, soldAt } from './sales.ts';

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

/** Counts a day again if its totals differ from its purchases and their orders. */
async function repairDay({ database, config, log }: SalesShop, day: number): Promise<void> {
  const { purchases, lines } = await sumPaid(database, day, config.timeZone);
  const [totals, products] = [await sumTotals(database, day), await sumProducts(database, day)];
  if (format(totals) === format(purchases) && format(products) === format(lines)) return;
  log.warn({ day: toDate(day) }, 'the totals of a day were wrong and have been recounted');
  await database.transaction((tx) => recountDay(tx, day, config.timeZone));
}

/** `revenue` is in minor units; `orders` counts purchases. */
type Sum = { currency: string; revenue: number; orders: number };

/** Reads the day hour by hour: on SQLite, nothing else runs during a statement. */
async function sumPaid(
  { db }: Database,
  day: number,
  timeZone: string,
): Promise<Record<'purchases' | 'lines', Sum[]>> {
  const [purchases, lines] = [new Map<string, Sum>(), new Map<string, Sum>()];
  const end = getDayStart(day + 1, timeZone);
  for (let from = getDayStart(day, timeZone); from < end; from += hourMs) {
    const until = Math.min(from + hourMs, end);
    const paid = await sql<Sum>`select currency, cast(sum(total) as bigint) as revenue, count(*) as orders
      from ${paidPurchases(from, until)} group by currency`.execute(db);
    addSums(purchases, paid.rows);
    const sold = await sql<Sum>`select currency, cast(sum(order_line.total) as bigint) as revenue, 0 as orders
      from ${paidOrders(from, until)} group by currency`.execute(db);
    addSums(lines, sold.rows);
  }
  return { purchases: [...purchases.values()], lines: [...lines.values()] };
}

function addSums(sums: Map<string, Sum>, rows: readonly Sum[]): void {
  for (const { currency, revenue, orders } of rows) {
    const sum = sums.getOrInsert(currency, { currency, revenue: 0, orders: 0 });
    sum.revenue += revenue;
    sum.orders += orders;
  }
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
