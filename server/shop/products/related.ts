import { sql } from 'kysely';
import type { RelatedProducts } from '../../../contract/catalogue/product-page.ts';
import { notFound } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import { executePrepared } from '../../database/prepared-statements.ts';
import type { Db } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { createEstimator, toSmallestOrder } from '../delivery/estimate.ts';
import type { Shop } from '../shop.ts';
import { findProducts, isArchived, isSoldOut, type ProductRow, toProduct } from './products.ts';

const maxProducts = 4;
/** How many of a product's newest orders are searched, so that the cost does not grow with the orders. */
const maxOrders = 200;
/** With a single customer, the list would reveal what that customer bought. Deleted accounts don't count. */
const minCustomers = 2;
/** How long a list is cached. Reading it takes longer than the rest of the product page, and it changes slowly. */
const cacheMs = 10 * 60_000;
const maxCachedLists = 10_000;
/** The products read on each side of a product in its category, some of which may be archived. */
const maxNeighbours = 20;

/** Products to show with a product, archived or not. Throws 404 if it does not exist. */
export async function listRelatedProducts(
  shop: Shop,
  id: string,
  viewer: SessionUser | undefined,
): Promise<RelatedProducts> {
  const { database, currency } = shop;
  const [togetherIds, neighbourIds] = await Promise.all([
    cacheBoughtTogether(database, id),
    listNeighbours(database, id),
  ]);
  const products = await findProducts(database.db, [id, ...togetherIds, ...neighbourIds]);
  if (!products.has(id)) throw notFound('product');
  const select = (ids: readonly string[]) =>
    ids.flatMap((listed) => products.get(listed) ?? []).filter((row) => !isArchived(row));
  const boughtTogether = select(togetherIds).slice(0, maxProducts);
  const related = select(neighbourIds)
    .filter((row) => !boughtTogether.includes(row))
    .sort((a, b) => Number(isSoldOut(a)) - Number(isSoldOut(b)))
    .slice(0, maxProducts);
  const estimate = await createEstimator(shop, viewer);
  const show = (rows: ProductRow[]) =>
    rows.map((row) => ({ ...toProduct(row, currency, viewer), ...estimate(toSmallestOrder(row)) }));
  return { boughtTogether: show(boughtTogether), related: show(related) };
}

const cachedLists = new WeakMap<Database, Map<string, { ids: Promise<string[]>; until: number }>>();

/** Caches the list for minutes, so it may contain products that have been archived or deleted since. */
function cacheBoughtTogether(database: Database, id: string): Promise<string[]> {
  const lists = cachedLists.getOrInsertComputed(database, () => new Map());
  const cached = lists.get(id);
  if (cached && cached.until > Date.now()) return cached.ids;
  if (lists.size >= maxCachedLists) lists.clear();
  const ids = listBoughtTogether(database.db, id);
  lists.set(id, { ids, until: Date.now() + cacheMs });
  ids.catch(() => lists.delete(id));
  return ids;
}

/** Products on sale that several customers have paid for together with this one, the most frequent first. */
async function listBoughtTogether(db: Db, id: string): Promise<string[]> {
  // All orders of a purchase are paid together. Reads an index of the product's orders that contains their status.
  const { rows } = await sql<{ product_id: string }>`
    select other.product_id
    from (
      select purchase_id from (
        select purchase_id, status from order_line where product_id = ${id} and status <> ''
        order by id desc limit ${sql.lit(maxOrders)}
      ) as newest where status in ('paid', 'sipping')
    ) as paid
    join order_line as other on other.purchase_id = paid.purchase_id
    join product on product.id = other.product_id
    where other.product_id <> ${id} and product.archived_at is null
    group by other.product_id
    having count(distinct other.user_id) >= ${sql.lit(minCustomers)}
    order by count(*) desc, other.product_id
    limit ${sql.lit(maxProducts)}`.execute(db);
  return rows.map(({ product_id }) => product_id);
}

/** The products of the same category that were added next, and then those before. */
async function listNeighbours({ db }: Database, id: string): Promise<string[]> {
  const category = sql`category_key = (select category_key from product where id = ${id})`;
  const query = sql<{ id: string }>`
    select id from (
      select id from product where ${category} and id > ${id} order by id limit ${sql.lit(maxNeighbours)}
    ) as later
    union all
    select id from (
      select id from product where ${category} and id < ${id} order by id limit ${sql.lit(maxNeighbours)}
    ) as earlier`;
  const { rows } = await executePrepared(db, query.compile(db));
  return rows.map((row) => row.id);
}
