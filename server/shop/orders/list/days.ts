import { type RawBuilder, sql } from 'kysely';
import type { OrderList } from '../../../../contract/orders.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** The id of an order is made just before its `created_at` is read. */
const idToleranceMs = 60_000;

type Days = Pick<OrderList, 'from' | 'to'>;
type Condition = RawBuilder<boolean>;

/** Conditions on `orders` for the UTC days `from` and `to`, both included. No index has `created_at`. */
export function placedWithin({ from, to }: Days): Condition[] {
  const conditions: Condition[] = [];
  if (from) conditions.push(sql`orders.created_at >= ${Date.parse(from)}`);
  if (to) conditions.push(sql`orders.created_at < ${Date.parse(to) + dayMs}`);
  return conditions;
}

/**
 * Conditions that also let orders up to a minute before and after the days pass. The ids begin with the time (UUIDv7), so
 * their index leads to the days. `id` is `orders.id`.
 */
export function placedAbout({ from, to }: Days, id: RawBuilder<unknown> = sql`orders.id`): Condition[] {
  const conditions: Condition[] = [];
  if (from) conditions.push(sql`${id} >= ${lowestId(Date.parse(from) - idToleranceMs)}`);
  if (to) conditions.push(sql`${id} < ${lowestId(Date.parse(to) + dayMs + idToleranceMs)}`);
  return conditions;
}

/** The lowest UUIDv7 of a time. */
function lowestId(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
