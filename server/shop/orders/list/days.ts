import { type RawBuilder, sql } from 'kysely';
import type { OrderList } from '../../../../contract/orders.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** The id of an order is made just before its `created_at` is read. */
const idToleranceMs = 60_000;

/**
 * Conditions on `orders` for the UTC days `from` and `to`, both included. The ids begin with the time (UUIDv7), so the
 * index of `id` leads to the days; `created_at` is exact.
 */
export function placedWithin(
  { from, to }: Pick<OrderList, 'from' | 'to'>,
  id: RawBuilder<unknown>,
): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = [];
  if (from) {
    const start = Date.parse(from);
    conditions.push(sql`${id} >= ${lowestId(start - idToleranceMs)}`, sql`orders.created_at >= ${start}`);
  }
  if (to) {
    const end = Date.parse(to) + dayMs;
    conditions.push(sql`${id} < ${lowestId(end + idToleranceMs)}`, sql`orders.created_at < ${end}`);
  }
  return conditions;
}

/** The lowest UUIDv7 of a time. */
function lowestId(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
