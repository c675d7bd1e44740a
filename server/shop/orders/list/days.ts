import { type RawBuilder, sql } from 'kysely';
import type { OrderList } from '../../../../contract/orders/order-list.ts';
import { getDayStart, parseDate } from '../../../config/time-zone.ts';

/** The id of an order is made just before its `created_at` is read. */
const idToleranceMs = 60_000;

export type Days = Pick<OrderList, 'from' | 'to'> & { timeZone: string };
type Condition = RawBuilder<boolean>;
export type IdRange = { lowest?: string | undefined; highest?: string | undefined };

/** Conditions on `order_line` for the days `from` and `to`, both included, in `timeZone`. No index has `created_at`. */
export function placedWithin(days: Days): Condition[] {
  const { start, end } = toTimes(days);
  const conditions: Condition[] = [];
  if (start !== undefined) conditions.push(sql`order_line.created_at >= ${start}`);
  if (end !== undefined) conditions.push(sql`order_line.created_at < ${end}`);
  return conditions;
}

/**
 * A range of ids that covers the days and a minute on each side. Ids begin with their time (UUIDv7), so the database can use
 * their index. `id` is `order_line.id`. Bounds that the `known` range implies are left out: of two for the same end, SQLite uses
 * only the first.
 */
export function idsAround(
  days: Days,
  id: RawBuilder<unknown> = sql`order_line.id`,
  known: IdRange = {},
): Condition[] {
  const { start, end } = toTimes(days);
  const conditions: Condition[] = [];
  const lowest = start === undefined ? undefined : lowestId(start - idToleranceMs);
  const highest = end === undefined ? undefined : lowestId(end + idToleranceMs);
  if (lowest && !(known.lowest && known.lowest >= lowest)) conditions.push(sql`${id} >= ${lowest}`);
  if (highest && !(known.highest && known.highest < highest)) conditions.push(sql`${id} < ${highest}`);
  return conditions;
}

/** From `start` until before `end`. */
const toTimes = ({ from, to, timeZone }: Days) => ({
  start: from === undefined ? undefined : getDayStart(parseDate(from), timeZone),
  end: to === undefined ? undefined : getDayStart(parseDate(to) + 1, timeZone),
});

/** The lowest UUIDv7 of a time. */
function lowestId(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
