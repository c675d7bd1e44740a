import { type RawBuilder, sql } from 'kysely';
import { dayMs } from '../../../contract/durations.ts';
import { listDayRuns } from '../../config/time-zone.ts';
import { isNotAutomatic } from '../orders/refund-rows.ts';

/* SQL that the daily totals and the overview share. Days are numbered as in `time-zone.ts`, in the shop's time zone. */

/** The number of days in `recent_product_sales`, and in the overview by default. */
export const recentDays = 30;

/** How long it may take to record a payment. A payment that is recorded later is counted only by `repairDay`. */
export const settlingMs = 10 * 60_000;

/** The start of the name that the setting has for each time zone. */
export const countedUntilPrefix = 'sales counted until';

/** All totals are for one time zone, which is in the setting's name unless it is UTC. */
export const nameCountedUntil = (timeZone: string): string =>
  timeZone === 'UTC' ? countedUntilPrefix : `${countedUntilPrefix} in ${timeZone}`;

/**
 * Orders paid before this time, in milliseconds, are in the daily totals. It is 0 if no orders have been counted, or if the totals
 * are for another time zone and must not be read.
 */
export const countedUntil = (timeZone: string) => sql<number>`coalesce((
  select cast(value as bigint) from setting where name = ${sql.lit(nameCountedUntil(timeZone))}
), 0)`;

export const hasTotals = (timeZone: string) => sql<boolean>`${countedUntil(timeZone)} > 0`;

/** When a purchase was paid. Indexed (`purchase_sold`). */
export const soldAt = sql<number>`purchase.paid_at`;

/** Refunds that fail no longer count, unless the shop has repaid them in another way. */
export const isCountedRefund = sql<boolean>`(refund.status in ('pending', 'succeeded') or refund.outcome = 'repaid') and ${isNotAutomatic}`;

/** The paid orders that were sold from `from` until before `until`. */
export const paidOrders = (from: unknown, until: unknown) => sql`
  purchase join order_line on order_line.purchase_id = purchase.id
  where ${soldAt} >= ${from} and ${soldAt} < ${until} and order_line.status in ('paid', 'sipping')`;

/**
 * The purchases that were paid from `from` until before `until`. People call them orders: a purchase has one number and one payment,
 * however many tools it has. Their totals include delivery; the totals of products do not.
 */
export const paidPurchases = (from: unknown, until: unknown) => sql`
  purchase where ${soldAt} >= ${from} and ${soldAt} < ${until} and purchase.status = 'paid'`;

/**
 * The day of a time, if it is one of the days from `from` to `to`. Otherwise the result is at most `from`, or at least `to`.
 * It is computed in SQL, because statements group the orders by it.
 */
export function dayOf(
  at: RawBuilder<unknown>,
  { from, to }: { from: number; to: number },
  timeZone: string,
): RawBuilder<number> {
  const runs = listDayRuns(from, to, timeZone).map(({ day, start, isRegular }) => {
    const shift = day * dayMs - start;
    const shifted = shift === 0 ? at : sql`(${at} + ${sql.lit(shift)})`;
    return { start, day: isRegular ? sql`${shifted} / ${sql.lit(dayMs)}` : sql`${sql.lit(day)}` };
  });
  const [first, ...later] = runs.reverse();
  if (!first) throw new Error('The last day is before the first.');
  if (later.length === 0) return sql`${first.day}`;
  // The latest days come first, because most orders that are counted are new.
  return sql`case when ${at} >= ${sql.lit(first.start)} then ${first.day} ${sql.join(
    later.map(({ start, day }, index) =>
      index === later.length - 1 ? sql`else ${day}` : sql`when ${at} >= ${sql.lit(start)} then ${day}`,
    ),
    sql` `,
  )} end`;
}
