import { type RawBuilder, sql } from 'kysely';
import type { OrderList } from '../../../../contract/orders/order-list.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** The id of an order is made just before its `created_at` is read. */
const idToleranceMs = 60_000;

type Days = Pick<OrderList, 'from' | 'to'>;
type Condition = RawBuilder<boolean>;
export type IdRange = { lowest?: string | undefined; highest?: string | undefined };

/** Conditions on `order_line` for the UTC days `from` and `to`, both included. No index has `created_at`. */
export function placedWithin({ from, to }: Days): Condition[] {
  const conditions: Condition[] = [];
  if (from) conditions.push(sql`order_line.created_at >= ${Date.parse(from)}`);
  if (to) conditions.push(sql`order_line.created_at < ${Date.parse(to) + dayMs}`);
  return conditions;
}

/**
 * A range of ids that covers the days and a minute on each side. Ids begin with their time (UUIDv7), so the database can use
 * their index. `id` is `order_line.id`. Bounds that the `known` range implies are left out: of two for the same end, SQLite uses
 * only the first.
 */
export function idsAround(
  { from, to }: Days,
  id: RawBuilder<unknown> = sql`order_line.id`,
  known: IdRange = {},
): Condition[] {
  const conditions: Condition[] = [];
  const lowest = from && lowestId(Date.parse(from) - idToleranceMs);
  const highest = to && lowestId(Date.parse(to) + dayMs + idToleranceMs);
  if (lowest && !(known.lowest && known.lowest >= lowest)) conditions.push(sql`${id} >= ${lowest}`);
  if (highest && !(known.highest && known.highest < highest)) conditions.push(sql`${id} < ${highest}`);
  return conditions;
}

/** The lowest UUIDv7 of a time. */
function lowestId(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
