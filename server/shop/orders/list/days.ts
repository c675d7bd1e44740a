import { type RawBuilder, sql } from 'kysely';
import type { OrderList } from '../../../../contract/orders/order-list.ts';
import { getDayStart, parseDate } from '../../../config/time-zone.ts';
import type { Database } from '../../../database/database.ts';
import { isCountedRefund, soldAt } from '../../sales/sales.ts';

/** The time in an order's id is slightly earlier than its `created_at`. */
const idToleranceMs = 60_000;
/** Sorting up to this many orders is faster than looking for them among all orders. */
const fewOrders = 2000;

type Condition = RawBuilder<boolean>;
/** The days of a list are in `timeZone`. */
export type ZonedList = OrderList & { timeZone: string };
export type IdRange = { lowest?: string | undefined; highest?: string | undefined };

/** The days of a list, as conditions on `order_line`. */
export type Span = {
  conditions: Condition[];
  /**
   * All orders of the list have ids within this range. Ids begin with their time (UUIDv7), so the database can use the index of
   * ids.
   */
  ids: IdRange;
  /** Set if the list has few orders: a condition that replaces `conditions` and finds all of them by an index. */
  few?: Condition | undefined;
};

type Range = { start: number | undefined; end: number | undefined };

/**
 * Finds the orders that were placed, paid, refunded or charged back on the days of a list, both days included. `isByPrice` is whether
 * the list is sorted by the price.
 */
export async function findSpan(database: Database, query: ZonedList, isByPrice: boolean): Promise<Span> {
  const { from, to, timeZone, by = 'placed' } = query;
  if (!from && !to) return { conditions: [], ids: {} };
  const range = {
    start: from ? getDayStart(parseDate(from), timeZone) : undefined,
    end: to ? getDayStart(parseDate(to) + 1, timeZone) : undefined,
  };
  if (by === 'placed') return findPlaced(database, range, isByPrice);
  if (by === 'paid') return findPaid(database, range);
  const condition = by === 'refunded' ? isRefundedWithin(range) : isChargedBackWithin(range);
  return { conditions: [condition], ids: {}, few: condition };
}

/** No index contains `created_at`, so this uses the range of ids. */
async function findPlaced(database: Database, range: Range, isByPrice: boolean): Promise<Span> {
  const ids = toIdRange(range);
  const conditions = isWithin(sql`order_line.created_at`, range);
  if (!isByPrice || !(await isFewOrders(database, ids))) return { conditions, ids };
  return { conditions, ids, few: allOf([...idsWithin(ids), ...conditions]) };
}

async function isFewOrders({ db }: Database, ids: IdRange): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    select 1 from order_line where ${allOf(idsWithin(ids))} limit ${fewOrders + 1}) as found`.execute(db);
  return (rows[0]?.count ?? 0) <= fewOrders;
}

/**
 * If an admin accepts a late payment, an order may be paid long after it was placed. So the range of ids is read from the index of
 * payment times, which also contains the ids of purchases.
 */
async function findPaid({ db }: Database, range: Range): Promise<Span> {
  const paid = sql`purchase where ${allOf(isWithin(soldAt, range))}`;
  const { rows } = await sql<{ count: number; lowest: string | null; highest: string | null }>`
    select count(*) as count, min(id) as lowest, max(id) as highest from ${paid}`.execute(db);
  const { count = 0, lowest = null, highest = null } = rows[0] ?? {};
  // A scalar subquery, because PostgreSQL would turn any other subquery into a join of all purchases.
  const paidAt = sql`(select ${soldAt} from purchase where purchase.id = order_line.purchase_id)`;
  return {
    conditions: isWithin(paidAt, range),
    ids: toIdRange({ start: readTime(lowest), end: readTime(highest) }),
    few: count <= fewOrders ? sql`order_line.purchase_id in (select id from ${paid})` : undefined,
  };
}

/** Matches the orders that were refunded. If a refund is not assigned to orders, all orders of its purchase match. */
function isRefundedWithin(range: Range): Condition {
  const refunds = sql`${allOf([...isWithin(sql`refund.created_at`, range), isCountedRefund])}`;
  return sql`order_line.id in (
    select refund_line.order_line_id from refund join refund_line on refund_line.refund_id = refund.id where ${refunds}
    union all
    select line.id from refund join order_line as line on line.purchase_id = refund.purchase_id
    where ${refunds} and not exists (select 1 from refund_line where refund_line.refund_id = refund.id))`;
}

const isChargedBackWithin = (range: Range): Condition => sql`order_line.purchase_id in (
  select purchase.id from dispute
    join purchase on purchase.id = dispute.purchase_id and purchase.transaction_id = dispute.intent
  where dispute.status = 'lost' and ${allOf(isWithin(sql`dispute.decided_at`, range))})`;

function isWithin(time: RawBuilder<unknown>, { start, end }: Range): Condition[] {
  const conditions: Condition[] = [];
  if (start !== undefined) conditions.push(sql`${time} >= ${start}`);
  if (end !== undefined) conditions.push(sql`${time} < ${end}`);
  return conditions;
}

/**
 * Conditions for a range of ids. `known` is a range that other conditions of the query already guarantee. Bounds that it implies
 * are left out: given two lower or two upper bounds, SQLite uses only the first.
 */
export function idsWithin(
  { lowest, highest }: IdRange,
  id: RawBuilder<unknown> = sql`order_line.id`,
  known: IdRange = {},
): Condition[] {
  const conditions: Condition[] = [];
  if (lowest && !(known.lowest && known.lowest >= lowest)) conditions.push(sql`${id} >= ${lowest}`);
  if (highest && !(known.highest && known.highest < highest)) conditions.push(sql`${id} < ${highest}`);
  return conditions;
}

/** The range of ids for a range of times, extended by a minute on each side. */
const toIdRange = ({ start, end }: Range): IdRange => ({
  lowest: start === undefined ? undefined : lowestId(start - idToleranceMs),
  highest: end === undefined ? undefined : lowestId(end + idToleranceMs),
});

/** The lowest UUIDv7 of a time. */
function lowestId(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** The time of a UUIDv7. */
const readTime = (id: string | null): number | undefined =>
  id === null ? undefined : Number.parseInt(id.replace('-', '').slice(0, 12), 16);

export const allOf = (conditions: Condition[]): Condition => sql`${sql.join(conditions, sql` and `)}`;
