import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Tx } from '../../database/schema.ts';
import type { Shop } from '../shop.ts';
import { addDaysToPeriods, removeUnsold, subtractDayFromPeriods } from './period-totals.ts';
import {
  countedUntil,
  countedUntilSetting,
  dayMs,
  paidOrders,
  purchaseCount,
  recentDays,
  settlingMs,
  soldAt,
  toDay,
} from './sales.ts';

const batchSize = 1000;

/** Adds the orders paid since the last run to the daily totals, in short transactions. Stops early if `signal` says so. */
export async function countSales({ database }: Pick<Shop, 'database'>, signal?: AbortSignal): Promise<void> {
  await database.db
    .insertInto('setting')
    .values({ name: countedUntilSetting, value: '0' })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  while (!signal?.aborted && (await countBatch(database)));
}

/** Counts about a thousand purchases. Returns whether more are waiting. */
async function countBatch(database: Database): Promise<boolean> {
  const { rows } = await sql<{
    from: number;
    batch: number;
    last: number | null;
  }>`select ${countedUntil} as "from", count(*) as batch, max(sold) as last from (
      select ${soldAt} as sold from purchase where ${soldAt} >= ${countedUntil} order by ${soldAt} limit ${batchSize}
    ) as next`.execute(database.db);
  const [next] = rows;
  if (!next) return false;
  const settled = Date.now() - settlingMs;
  const last = next.last ?? 0;
  const isFull = next.batch === batchSize && last < settled;
  const until = isFull ? last + 1 : settled;
  // The clock may have been set back.
  if (until <= next.from) return false;
  await database.transaction((tx) => addSales(tx, next.from, until));
  return isFull;
}

async function addSales(tx: Tx, from: number, until: number): Promise<void> {
  // If another process does the same work, only one of them finds the old value.
  const { numUpdatedRows } = await tx
    .updateTable('setting')
    .set({ value: `${until}` })
    .where('name', '=', countedUntilSetting)
    .where('value', '=', `${from}`)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  const [oldStart, start] = [getRecentStart(from), getRecentStart(until)];
  await subtractRecent(tx, oldStart, start);
  await addOrders(tx, from, until, start);
  await addDaysToPeriods(tx, toDay(from), toDay(until));
}

/**
 * The first day in `recent_product_sales` once all orders before `until` are counted. The window moves at the first run of a
 * day, although that run counts only orders of the day before.
 */
export const getRecentStart = (until: number): number => toDay(until + settlingMs) - recentDays + 1;

/** Adds orders to the totals of their days, and those from the day `recentStart` on to the recent sales. */
async function addOrders(tx: Tx, from: number, until: number, recentStart: number): Promise<void> {
  const day = sql`${soldAt} / ${sql.lit(dayMs)}`;
  await sql`insert into sales_by_day (day, currency, orders, revenue)
    select ${day}, currency, ${purchaseCount}, sum(order_line.total) from ${paidOrders(from, until)} group by 1, 2
    on conflict (day, currency) do update set
      orders = sales_by_day.orders + excluded.orders,
      revenue = sales_by_day.revenue + excluded.revenue`.execute(tx);
  await sql`insert into product_sales_by_day (day, currency, product_id, product_name, pieces, revenue)
    select ${day}, currency, product_id, max(product_name), sum(quantity), sum(order_line.total)
    from ${paidOrders(from, until)} group by 1, 2, 3
    on conflict (day, currency, product_id) do update set
      product_name = excluded.product_name,
      pieces = product_sales_by_day.pieces + excluded.pieces,
      revenue = product_sales_by_day.revenue + excluded.revenue`.execute(tx);
  const recent = Math.max(from, recentStart * dayMs);
  await sql`insert into recent_product_sales (currency, product_id, product_name, pieces, revenue)
    select currency, product_id, max(product_name), sum(quantity), sum(order_line.total)
    from ${paidOrders(recent, until)} group by 1, 2
    ${addToRecent}`.execute(tx);
}

/** Removes the days from `start` until before `end` from the recent sales. */
async function subtractRecent(tx: Tx, start: number, end: number): Promise<void> {
  if (start >= end) return;
  await sql`insert into recent_product_sales (currency, product_id, product_name, pieces, revenue)
    select currency, product_id, max(product_name), -sum(pieces), -sum(revenue)
    from product_sales_by_day where day >= ${start} and day < ${end} group by 1, 2
    ${addToRecent}`.execute(tx);
  await sql`delete from recent_product_sales where revenue = 0 and currency in (
      select currency from sales_by_day where day >= ${start} and day < ${end}
    )`.execute(tx);
}

const addToRecent = sql`
  on conflict (currency, product_id) do update set
    product_name = excluded.product_name,
    pieces = recent_product_sales.pieces + excluded.pieces,
    revenue = recent_product_sales.revenue + excluded.revenue`;

/** Replaces the totals of a day that is counted completely. */
export async function recountDay(tx: Tx, day: number): Promise<void> {
  // The lock keeps another process from counting at the same time.
  await tx
    .updateTable('setting')
    .set((eb) => ({ value: eb.ref('value') }))
    .where('name', '=', countedUntilSetting)
    .execute();
  const { rows } = await sql<{ until: number }>`select ${countedUntil} as until`.execute(tx);
  const until = rows[0]?.until ?? 0;
  const start = getRecentStart(until);
  const isFinished = day < toDay(until);
  if (day >= start) await subtractRecent(tx, day, day + 1);
  if (isFinished) await subtractDayFromPeriods(tx, day);
  await tx.deleteFrom('sales_by_day').where('day', '=', day).execute();
  await tx.deleteFrom('product_sales_by_day').where('day', '=', day).execute();
  await addOrders(tx, day * dayMs, (day + 1) * dayMs, start);
  if (!isFinished) return;
  await addDaysToPeriods(tx, day, day + 1);
  await removeUnsold(tx, day);
}
