import { sql } from 'kysely';
import type { Config } from '../../config/config.ts';
import { getDayStart, toDay } from '../../config/time-zone.ts';
import type { Database } from '../../database/database.ts';
import type { Tx } from '../../database/schema.ts';
import type { Shop } from '../shop.ts';
import { addDaysToPeriods, removeUnsold, subtractDayFromPeriods } from './period-totals.ts';
import {
  countedUntil,
  countedUntilPrefix,
  dayOf,
  nameCountedUntil,
  paidOrders,
  paidPurchases,
  recentDays,
  settlingMs,
  soldAt,
} from './sales.ts';

const batchSize = 1000;

/** Adds the orders paid since the last run to the daily totals, in short transactions. Stops early if `signal` is aborted. */
export async function countSales(shop: SalesShop, signal?: AbortSignal): Promise<void> {
  const { database, config } = shop;
  const { timeZone } = config;
  await dropOtherTotals(shop);
  await database.db
    .insertInto('setting')
    .values({ name: nameCountedUntil(timeZone), value: '0' })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  while (!signal?.aborted && (await countBatch(database, timeZone)));
}

/** The parts of the shop that the count needs. */
export type SalesShop = Pick<Shop, 'database' | 'log'> & { config: Pick<Config, 'timeZone'> };

/** Drops the totals of the time zone that the shop had before, in the transaction that drops their setting. */
async function dropOtherTotals({ database, config, log }: SalesShop): Promise<void> {
  const own = nameCountedUntil(config.timeZone);
  const isOther = sql<boolean>`name like ${`${countedUntilPrefix}%`} and name <> ${own}`;
  const other = await database.db.selectFrom('setting').select('name').where(isOther).executeTakeFirst();
  if (!other) return;
  await database.transaction(async (tx) => {
    const { numDeletedRows } = await tx.deleteFrom('setting').where(isOther).executeTakeFirst();
    if (numDeletedRows === 0n) return;
    for (const table of salesTables) await tx.deleteFrom(table).execute();
  });
  log.warn({ timeZone: config.timeZone }, 'the time zone has changed: the totals of sales are counted again');
}

const salesTables = [
  'sales_by_day',
  'product_sales_by_day',
  'recent_product_sales',
  'product_sales_by_period',
] as const;

/** Counts about a thousand purchases. Returns whether more are waiting. */
async function countBatch(database: Database, timeZone: string): Promise<boolean> {
  const counted = countedUntil(timeZone);
  const { rows } = await sql<{
    from: number;
    batch: number;
    first: number | null;
    last: number | null;
  }>`select ${counted} as "from", count(*) as batch, min(sold) as first, max(sold) as last from (
      select ${soldAt} as sold from purchase where ${soldAt} >= ${counted} order by ${soldAt} limit ${batchSize}
    ) as next`.execute(database.db);
  const [next] = rows;
  if (!next) return false;
  const settled = Date.now() - settlingMs;
  const last = next.last ?? 0;
  const isFull = next.batch === batchSize && last < settled;
  const until = isFull ? last + 1 : settled;
  // The clock may have been set back.
  if (until <= next.from) return false;
  const isCounted = await database.transaction((tx) =>
    addSales(tx, { from: next.from, first: next.first ?? until, until }, timeZone),
  );
  return isCounted && isFull;
}

/**
 * Counts the orders paid from `from` until before `until`; the first was paid at `first`. Returns false if another process has
 * counted them.
 */
async function addSales(
  tx: Tx,
  { from, first, until }: { from: number; first: number; until: number },
  timeZone: string,
): Promise<boolean> {
  // If another process does the same work, only one of the processes finds the old value.
  const { numUpdatedRows } = await tx
    .updateTable('setting')
    .set({ value: `${until}` })
    .where('name', '=', nameCountedUntil(timeZone))
    .where('value', '=', `${from}`)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  const [oldStart, start] = [getRecentStart(from, timeZone), getRecentStart(until, timeZone)];
  await subtractRecent(tx, oldStart, start);
  // Start at `first`: `from` may be in 1970, and since then a time zone has had dozens of runs of days (`dayOf`).
  await addOrders(tx, Math.min(first, until), until, start, timeZone);
  await addDaysToPeriods(tx, toDay(from, timeZone), toDay(until, timeZone));
  return true;
}

/**
 * The first day in `recent_product_sales` once all orders before `until` are counted. The window moves at the first run of a
 * day, although that run counts only orders of the day before.
 */
export const getRecentStart = (until: number, timeZone: string): number =>
  toDay(until + settlingMs, timeZone) - recentDays + 1;

/** Adds orders to the totals of their days. Orders from the day `recentStart` on are also added to the recent sales. */
async function addOrders(
  tx: Tx,
  from: number,
  until: number,
  recentStart: number,
  timeZone: string,
): Promise<void> {
  const day = dayOf(soldAt, { from: toDay(from, timeZone), to: toDay(until, timeZone) }, timeZone);
  await sql`insert into sales_by_day (day, currency, orders, revenue)
    select ${day}, currency, count(*), sum(total) from ${paidPurchases(from, until)} group by 1, 2
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
  const recent = Math.max(from, getDayStart(recentStart, timeZone));
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
export async function recountDay(tx: Tx, day: number, timeZone: string): Promise<void> {
  // The lock keeps another process from counting at the same time.
  const { numUpdatedRows } = await tx
    .updateTable('setting')
    .set((eb) => ({ value: eb.ref('value') }))
    .where('name', '=', nameCountedUntil(timeZone))
    .executeTakeFirst();
  // Another process may have dropped the totals.
  if (numUpdatedRows === 0n) return;
  const { rows } = await sql<{ until: number }>`select ${countedUntil(timeZone)} as until`.execute(tx);
  const until = rows[0]?.until ?? 0;
  const start = getRecentStart(until, timeZone);
  const isFinished = day < toDay(until, timeZone);
  if (day >= start) await subtractRecent(tx, day, day + 1);
  if (isFinished) await subtractDayFromPeriods(tx, day);
  await tx.deleteFrom('sales_by_day').where('day', '=', day).execute();
  await tx.deleteFrom('product_sales_by_day').where('day', '=', day).execute();
  await addOrders(tx, getDayStart(day, timeZone), getDayStart(day + 1, timeZone), start, timeZone);
  if (!isFinished) return;
  await addDaysToPeriods(tx, day, day + 1);
  await removeUnsold(tx, day);
}
