import { type RawBuilder, sql } from 'kysely';
import { maxCount } from '../../../contract/admin/health-format.ts';
import type { Overview } from '../../../contract/admin/overview.ts';
import type { Db } from '../../database/schema.ts';
import { toShipCondition } from '../../shop/orders/queries.ts';
import { isCurrent, isLowOrSoldOut } from '../../shop/products/filters.ts';
import { pendingCount, reportedCount } from '../../shop/reviews/list.ts';
import { soldAt } from '../../shop/sales/sales.ts';

const shownProducts = 10;

type Low = { id: string; name: string; minimum: number; available: number; low_stock: number | null };
type Row = {
  hasOrders: number;
  tools: number;
  parcels: number;
  since: number | null;
  products: number;
  reported: number;
  pending: number;
} & (Low | Record<keyof Low, null>);

/** Orders to ship, products that run out, and reviews that need a decision, in one statement. Counts stop at a maximum. */
export async function readWork(
  db: Db,
): Promise<Pick<Overview, 'hasOrders' | 'toShip' | 'lowStock' | 'reportedReviews' | 'pendingReviews'>> {
  const unshipped = sql`order_line where ${toShipCondition()} order by id`;
  const { rows } = await sql<Row>`select low.*,
      (select count(*) from (select id from purchase where id > '' limit 1) as any_purchase) as "hasOrders",
      unshipped.tools, unshipped.parcels,
      (select ${soldAt} from (select purchase_id from ${unshipped} limit 1) as first
        join purchase on purchase.id = first.purchase_id) as since,
      (select count(*) from (${selectLow(sql`id`, maxCount)}) as low_products) as products,
      ${reportedCount} as reported, ${pendingCount} as pending
    from (select count(*) as tools, count(distinct purchase_id) as parcels
      from (select purchase_id from ${unshipped} limit ${sql.lit(maxCount)}) as first) as unshipped
    left join (${selectLow(sql`id, name, minimum, available, low_stock`, shownProducts)}) as low on 1 = 1
    order by available, id limit ${sql.lit(shownProducts)}`.execute(db);
  const [first] = rows;
  return {
    hasOrders: first?.hasOrders === 1,
    toShip: {
      parcels: first?.parcels ?? 0,
      tools: first?.tools ?? 0,
      since: first?.since ? new Date(first.since).toISOString() : null,
    },
    reportedReviews: first?.reported ?? 0,
    pendingReviews: first?.pending ?? 0,
    lowStock: {
      products: first?.products ?? 0,
      first: rows.flatMap(({ id, name, minimum, available, low_stock }) => {
        if (id === null) return [];
        const threshold = low_stock === null ? {} : { lowStock: low_stock };
        return { _id: id, name, o_quantity: minimum, a_quantity: available, ...threshold };
      }),
    },
  };
}

/** Up to `limit` products that are sold out or below their threshold, the lowest stock first. */
const selectLow = (columns: RawBuilder<unknown>, limit: number) => sql`
  select ${columns} from product where ${isCurrent} and ${isLowOrSoldOut} order by available, id limit ${sql.lit(limit)}`;
