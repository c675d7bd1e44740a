import { sql } from 'kysely';

/* SQL that the daily totals and the overview share. Days are whole days since 1970, in UTC. */

export const dayMs = 86_400_000;
/** `recent_product_sales` has this many days, and so has the overview by default. */
export const recentDays = 30;

/** A payment that any process records more than this long after it was made is counted only by `repairDay`. */
export const settlingMs = 10 * 60_000;

export const countedUntilSetting = 'sales counted until';

/** Orders paid before this time, in milliseconds, are in the daily totals; 0 if none have been counted. */
export const countedUntil = sql<number>`coalesce((
  select cast(value as bigint) from setting where name = ${sql.lit(countedUntilSetting)}
), 0)`;

/** When a purchase was paid. Indexed (`purchase_sold`). */
export const soldAt = sql<number>`purchase.paid_at`;

/** The paid orders that were sold from `from` until before `until`. */
export const paidOrders = (from: unknown, until: unknown) => sql`
  purchase join order_line on order_line.purchase_id = purchase.id
  where ${soldAt} >= ${from} and ${soldAt} < ${until} and order_line.status in ('paid', 'sipping')`;

/** Counts purchases, which people call orders: one number and one payment, however many tools. All are paid at once. */
export const purchaseCount = sql`count(distinct order_line.purchase_id)`;

export const toDay = (at: number): number => Math.floor(at / dayMs);

/** A day as `2026-11-22`. */
export const toDate = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
