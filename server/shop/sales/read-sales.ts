import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';
import { countedUntil, dayMs, paidOrders, recentDays, soldAt } from './sales.ts';

/** Days, both included. */
export type Days = { from: number; to: number };

type DaySums = { day: number; currency: string; amount: number; count: number };

/**
 * Sales and refunds by day and currency, in minor units. One statement, so that each order is either in the totals or
 * among those not counted yet. Refunds are few and change later, so they are never in the totals.
 */
export async function readDays(db: Db, { from, to }: Days): Promise<Record<'sales' | 'refunds', DaySums[]>> {
  const end = (to + 1) * dayMs;
  const { rows } = await sql<
    DaySums & { kind: 'sales' | 'refunds' }
  >`select 'sales' as kind, day, currency, revenue as amount, orders as count
    from sales_by_day where day >= ${from} and day <= ${to}
    union all
    select 'sales', ${soldAt} / ${sql.lit(dayMs)}, currency, cast(sum(total) as bigint), count(*)
    from ${paidOrders(uncountedFrom(from), end)} group by 2, 3
    union all
    select 'refunds', created_at / ${sql.lit(dayMs)}, currency, cast(sum(amount) as bigint), count(*)
    from refund
    where created_at >= ${from * dayMs} and created_at < ${end} and status in ('pending', 'succeeded')
    group by 2, 3`.execute(db);
  const { sales = [], refunds = [] } = Object.groupBy(rows, ({ kind }) => kind);
  return { sales, refunds };
}

/** The start of the orders since the day `from` that are not in the totals. One bound: SQLite uses only one for an index. */
const uncountedFrom = (from: number) =>
  sql`(select case when ${countedUntil} > ${from * dayMs} then ${countedUntil} else ${from * dayMs} end)`;

export type BestSeller = { id: string; name: string; pieces: number; revenue: number; deleted: number };

/**
 * The ten products with the highest revenue. The last 30 days are read from their own totals, which an index sorts; any
 * other period is summed from the days.
 */
export async function readBestSellers(db: Db, currency: string, { from, to }: Days): Promise<BestSeller[]> {
  const lastDay = sql`${countedUntil} / ${sql.lit(dayMs)}`;
  const isRecent = sql`${lastDay} - ${sql.lit(recentDays - 1)} = ${from} and ${to} >= ${lastDay}`;
  // An empty range, because SQLite would read each row of the period before it tests a condition.
  const summedFrom = sql`(select case when ${isRecent} then cast(${to + 1} as bigint) else ${from} end)`;
  // The cross join makes SQLite start with the few uncounted orders.
  const { rows } = await sql<BestSeller>`with uncounted as (
      select product_id, max(product_name) as product_name, sum(quantity) as pieces, sum(total) as revenue
      from ${paidOrders(uncountedFrom(from), (to + 1) * dayMs)} and currency = ${currency}
      group by product_id
    ), candidates as (
      select * from (
        select product_id, product_name, pieces, revenue from recent_product_sales
        where currency = ${currency} and ${isRecent}
        order by revenue desc limit 10
      ) as best
      union
      select recent.product_id, recent.product_name, recent.pieces, recent.revenue
      from uncounted cross join recent_product_sales as recent
      where recent.currency = ${currency} and recent.product_id = uncounted.product_id and ${isRecent}
    ), sums as (
      select product_id, max(product_name) as product_name, sum(pieces) as pieces, sum(revenue) as revenue
      from (
        select * from candidates
        union all
        select * from uncounted
        union all
        select product_id, product_name, pieces, revenue from product_sales_by_day
        where day >= ${summedFrom} and day <= ${to} and currency = ${currency}
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

/** Changes with every order, payment and refund. Sums the newest times, because they are not committed in their order. */
export async function readSalesVersion(db: Db): Promise<string> {
  const { rows } = await sql<{ sold: number | null; refunded: number | null; acted: string | null }>`select
      (select cast(sum(sold) as bigint) from (
        select ${soldAt} as sold from purchase order by ${soldAt} desc limit 20
      ) as newest) as sold,
      (select created_at from refund order by created_at desc limit 1) as refunded,
      (select id from audit order by id desc limit 1) as acted`.execute(db);
  return rows.map(({ sold, refunded, acted }) => `${sold} ${refunded} ${acted}`).join();
}
