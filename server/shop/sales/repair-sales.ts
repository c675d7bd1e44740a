import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Shop } from '../shop.ts';
import { recountDay } from './daily-totals.ts';
import { countedUntil, dayMs, paidOrders, soldAt, toDate, toDay } from './sales.ts';

const daysPerRun = 7;

/**
 * Checks the totals of the next completely counted days before `before`, the latest first. Returns the last one checked, or
 * infinity to start over.
 */
export async function repairSales(shop: Pick<Shop, 'database' | 'log'>, before: number): Promise<number> {
  const { rows } = await sql<{ until: number; first: number | null }>`select ${countedUntil} as until,
      (select ${soldAt} from purchase where ${soldAt} >= 0 order by ${soldAt} limit 1) as first`.execute(
    shop.database.db,
  );
  const { until = 0, first = null } = rows[0] ?? {};
  const firstDay = first === null ? Infinity : toDay(first);
  let day = Math.min(before, toDay(until));
  for (let checked = 0; checked < daysPerRun; checked++) {
    if (--day < firstDay) return Infinity;
    await repairDay(shop, day);
  }
  return day;
}

/** Counts a day again if its totals differ from its orders. */
async function repairDay({ database, log }: Pick<Shop, 'database' | 'log'>, day: number): Promise<void> {
  const [orders, totals] = [await sumOrders(database, day), await sumTotals(database, day)];
  if (totals.days === orders && totals.products === orders) return;
  log.warn({ day: toDate(day) }, 'the totals of a day were wrong and have been recounted');
  await database.transaction((tx) => recountDay(tx, day));
}

/** Reads the day hour by hour: on SQLite, nothing else runs during a statement. */
async function sumOrders({ db }: Database, day: number): Promise<string> {
  const sums = new Map<string, number>();
  for (let hour = 0; hour < 24; hour++) {
    const from = day * dayMs + hour * (dayMs / 24);
    const { rows } = await sql<{
      currency: string;
      revenue: number;
    }>`select currency, cast(sum(total) as bigint) as revenue
      from ${paidOrders(from, from + dayMs / 24)} group by currency`.execute(db);
    for (const { currency, revenue } of rows) sums.set(currency, (sums.get(currency) ?? 0) + revenue);
  }
  return formatSums([...sums].map(([currency, revenue]) => ({ currency, revenue })));
}

async function sumTotals({ db }: Database, day: number): Promise<{ days: string; products: string }> {
  const { rows } = await sql<{
    kind: 'days' | 'products';
    currency: string;
    revenue: number;
  }>`select 'days' as kind, currency, revenue from sales_by_day where day = ${day}
    union all
    select 'products', currency, cast(sum(revenue) as bigint) from product_sales_by_day where day = ${day}
    group by currency`.execute(db);
  const { days = [], products = [] } = Object.groupBy(rows, ({ kind }) => kind);
  return { days: formatSums(days), products: formatSums(products) };
}

const formatSums = (sums: { currency: string; revenue: number }[]): string =>
  sums
    .map(({ currency, revenue }) => `${currency} ${revenue}`)
    .toSorted()
    .join();
