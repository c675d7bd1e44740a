import { type RawBuilder, sql } from 'kysely';
import { minuteMs } from '../../../contract/durations.ts';
import { toWire } from '../../config/currency.ts';
import { getDayStart, toDay, today } from '../../config/time-zone.ts';
import type { Db } from '../../database/schema.ts';
import { isNotAutomatic } from '../orders/refund-rows.ts';
import { findPeriod } from './period-totals.ts';
import {
  countedUntil,
  dayOf,
  hasTotals,
  isCountedRefund,
  paidOrders,
  paidPurchases,
  recentDays,
  settlingMs,
  soldAt,
} from './sales.ts';

/** A period from the day `from` to the day `to`, both included. */
export type Days = { from: number; to: number };

/**
 * Orders paid before this time are in the totals. More orders may be added at any moment, so each statement also reads the setting
 * itself, to count every order exactly once. The statements also need this time as a constant: without it, PostgreSQL plans for
 * thousands of orders.
 */
export async function readCountedUntil(db: Db, timeZone: string): Promise<number> {
  const { rows } = await sql<{ until: number }>`select ${countedUntil(timeZone)} as until`.execute(db);
  return rows[0]?.until ?? 0;
}

type DaySums = { day: number; currency: string; amount: number; count: number };
export type CurrencySums = Omit<DaySums, 'day'>;

/** Adds sums in minor units, and returns them as they are on the wire. */
export const sumByCurrency = (rows: readonly CurrencySums[]): CurrencySums[] =>
  [...Map.groupBy(rows, ({ currency }) => currency)].map(([currency, group]) => ({
    currency,
    amount: toWire(
      group.reduce((sum, { amount }) => sum + amount, 0),
      currency,
    ),
    count: group.reduce((sum, { count }) => sum + count, 0),
  }));

type Kind = 'sales' | 'refunds' | 'disputed' | 'chargedBack';

/**
 * Sales, refunds and lost disputes by day and currency, and the open disputes by currency, in minor units. Refunds and disputes are
 * few and change later, so they are never in the totals. `counted` is from `readCountedUntil`.
 */
export async function readDays(
  db: Db,
  days: Days,
  counted: number,
  timeZone: string,
): Promise<Record<Kind, DaySums[]>> {
  const { from, to } = days;
  const [start, end] = [getDayStart(from, timeZone), getDayStart(to + 1, timeZone)];
  const { rows } = await sql<
    DaySums & { kind: Kind }
  >`select 'sales' as kind, day, currency, revenue as amount, orders as count
    from sales_by_day where day >= ${from} and day <= ${to} and ${hasTotals(timeZone)}
    union all
    select 'sales', ${dayOf(soldAt, days, timeZone)}, currency, cast(sum(total) as bigint), count(*)
    from ${uncounted(paidPurchases, days, counted, timeZone)} group by 2, 3
    union all
    select 'refunds', ${dayOf(sql`created_at`, days, timeZone)}, currency, cast(sum(amount) as bigint), count(*)
    from refund
    where created_at >= ${start} and created_at < ${end} and ${isCountedRefund}
    group by 2, 3
    union all
    select 'disputed', 0, dispute.currency, cast(sum(amount) as bigint), count(*)
    from dispute join purchase on purchase.id = dispute.purchase_id where is_open = 1 group by 3
    union all
    select 'chargedBack', ${dayOf(sql`decided_at`, days, timeZone)}, dispute.currency, cast(sum(amount) as bigint), count(*)
    from dispute join purchase on purchase.id = dispute.purchase_id and purchase.transaction_id = dispute.intent
    where dispute.status = 'lost' and decided_at >= ${start} and decided_at < ${end}
    group by 2, 3`.execute(db);
  const {
    sales = [],
    refunds = [],
    disputed = [],
    chargedBack = [],
  } = Object.groupBy(rows, ({ kind }) => kind);
  return { sales, refunds, disputed, chargedBack };
}

/** Purchases or orders that are not in the totals. Two lower bounds are combined into one, because SQLite uses only one for an index. */
function uncounted(
  paid: typeof paidPurchases | typeof paidOrders,
  { from, to }: Days,
  counted: number,
  timeZone: string,
): RawBuilder<unknown> {
  const [first, end] = [getDayStart(from, timeZone), getDayStart(to + 1, timeZone)];
  const until = countedUntil(timeZone);
  const start = sql`(select case when ${until} > ${first} then ${until} else ${first} end)`;
  return sql`${paid(start, end)} and ${isFrom(soldAt, Math.max(counted, first), end)}`;
}

export type BestSeller = { id: string; name: string; pieces: number; revenue: number; deleted: number };

/**
 * The ten products with the highest revenue. The last 30 days, and each day, calendar week, month and year, have totals of their
 * own, which an index sorts. For any other period, sums its days if `canSum`; otherwise returns null. `counted` is from
 * `readCountedUntil`.
 */
export async function readBestSellers(
  db: Db,
  currency: string,
  days: Days,
  { counted, canSum, timeZone }: { counted: number; canSum: boolean; timeZone: string },
): Promise<BestSeller[] | null> {
  const period = findPeriod(days, today(timeZone));
  const isDay = days.from === days.to;
  if (!period && !isDay && !canSum && !isRecentAt(days, counted, timeZone)) return null;
  const isOwn = sql`currency = ${currency}`;
  const isKnown = hasTotals(timeZone);
  const until = countedUntil(timeZone);
  const columns = sql`product_id, product_name, pieces, revenue`;
  const selectDays = (from: RawBuilder<unknown>) =>
    sql`select ${columns} from product_sales_by_day where day >= ${from} and day <= ${days.to} and ${isOwn} and ${isKnown}`;
  const uncountedLines = sql`select product_id, product_name, quantity as pieces, order_line.total as revenue
    from ${uncounted(paidOrders, days, counted, timeZone)} and ${isOwn}`;
  const lastDay = dayOf(until, { from: days.from, to: days.to + 1 }, timeZone);
  const recent = getRecentTimes(days, timeZone);
  const isRecent = sql`${until} >= ${recent.start} and ${until} < ${recent.end}`;
  const totals = period
    ? {
        table: sql`product_sales_by_period`,
        condition: sql`totals.period = ${period.name} and ${isKnown}`,
        // The totals of the period lack unfinished days, too, not only the orders that are not counted yet.
        missing: sql`${uncountedLines} union all ${selectDays(
          sql`(select case when ${lastDay} > ${days.from} then ${lastDay} else ${days.from} end)`,
        )} and ${isFrom(sql`day`, Math.max(toDay(counted, timeZone), days.from), days.to + 1)}`,
        summed: sql``,
      }
    : isDay
      ? {
          table: sql`product_sales_by_day`,
          condition: sql`totals.day = ${days.from} and ${isKnown}`,
          missing: uncountedLines,
          summed: sql``,
        }
      : {
          table: sql`recent_product_sales`,
          condition: isRecent,
          missing: uncountedLines,
          // This selects an empty range, because for a false condition SQLite would still read each row of the period.
          summed: sql`union all ${selectDays(
            sql`(select case when ${isRecent} then cast(${days.to + 1} as bigint) else ${days.from} end)`,
          )}`,
        };
  // The cross join makes SQLite start with the few products that are missing.
  const { rows } = await sql<BestSeller>`with missing as (
      select product_id, max(product_name) as product_name, sum(pieces) as pieces, sum(revenue) as revenue
      from (${totals.missing}) as parts
      group by product_id
    ), candidates as (
      select * from (
        select ${columns} from ${totals.table} as totals
        where ${isOwn} and ${totals.condition}
        order by revenue desc limit 10
      ) as best
      union
      select totals.product_id, totals.product_name, totals.pieces, totals.revenue
      from missing cross join ${totals.table} as totals
      where ${isOwn} and totals.product_id = missing.product_id and ${totals.condition}
    ), sums as (
      select product_id, max(product_name) as product_name, sum(pieces) as pieces, sum(revenue) as revenue
      from (
        select * from candidates
        union all
        select * from missing
        ${totals.summed}
      ) as parts
      group by product_id order by 4 desc, 1 limit 10
    )
    select product_id as id, coalesce(product.name, product_name) as name,
      cast(pieces as bigint) as pieces, cast(revenue as bigint) as revenue,
      case when product.id is null then 1 else 0 end as deleted
    from sums left join product on product.id = product_id
    order by revenue desc, product_id`.execute(db);
  return rows;
}

/**
 * The lower bound of a range up to `end`. If the range is empty, the condition is false instead: PostgreSQL would expect thousands
 * of rows in a range that begins after its end.
 */
const isFrom = (value: RawBuilder<unknown>, start: number, end: number) =>
  start < end ? sql`${value} >= ${start}` : sql`1 = 0`;

function isRecentAt(days: Days, counted: number, timeZone: string): boolean {
  const { start, end } = getRecentTimes(days, timeZone);
  return counted >= start && counted < end;
}

/** While the totals are counted until a time in this range, `recent_product_sales` has the sums of these days. */
function getRecentTimes({ from, to }: Days, timeZone: string): { start: number; end: number } {
  const lastDay = from + recentDays - 1;
  return {
    start: getDayStart(lastDay, timeZone) - settlingMs,
    end: Math.min(getDayStart(lastDay + 1, timeZone) - settlingMs, getDayStart(to + 1, timeZone)),
  };
}

/**
 * A version that changes with every order, payment, refund and action of an admin, and once a minute. So other changes, such as of
 * stock or at the end of a hold, show within a minute.
 */
export const findSalesVersion = async (db: Db): Promise<string> =>
  `${Math.floor(Date.now() / minuteMs)} ${await readSalesVersion(db)}`;

/** Sums the newest times, because commits can be out of order. */
async function readSalesVersion(db: Db): Promise<string> {
  type Newest = { placed: number | null; sold: number | null; refunded: number | null; acted: string | null };
  const { rows } = await sql<Newest>`select
      (select cast(sum(created_at) as bigint) from (
        select created_at from purchase order by id desc limit 20
      ) as newest) as placed,
      (select cast(sum(sold) as bigint) from (
        select ${soldAt} as sold from purchase where ${soldAt} > 0 order by ${soldAt} desc limit 20
      ) as newest) as sold,
      (select created_at from refund where ${isNotAutomatic} order by created_at desc limit 1) as refunded,
      (select id from audit order by id desc limit 1) as acted`.execute(db);
  return rows.map(({ placed, sold, refunded, acted }) => `${placed} ${sold} ${refunded} ${acted}`).join();
}
