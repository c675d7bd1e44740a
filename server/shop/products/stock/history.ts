import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { StockChange, StockReason } from '../../../../contract/catalogue/stock.ts';
import type { Db, Schema } from '../../../database/schema.ts';
import { toSqlLimit } from '../../../http/calls/list-response.ts';

type Row = Selectable<Schema['stock_change']>;
type Page = { limit?: number | undefined; after?: string | undefined };

export function findChange(db: Db, id: string): Promise<Row | undefined> {
  return db.selectFrom('stock_change').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The changes of one product, newest first. */
export async function listProductChanges(
  db: Db,
  { id, name }: { id: string; name: string },
  page: Page,
): Promise<StockChange[]> {
  const last = db
    .selectFrom('stock_change as last')
    .select('last.seq')
    .where('last.id', '=', page.after ?? '');
  const rows = await db
    .selectFrom('stock_change')
    .selectAll()
    .where('product_id', '=', id)
    .$if(page.after !== undefined, (changes) => changes.where('seq', '<', last))
    .orderBy('seq', 'desc')
    .limit(toSqlLimit(page))
    .execute();
  return describeChanges(db, rows, new Map([[id, name]]));
}

/** The changes of all products, newest first; only those with `reason` if it is given. */
export async function listStockChanges(
  db: Db,
  { reason, ...page }: Page & { reason?: StockReason | undefined },
): Promise<StockChange[]> {
  const rows = await db
    .selectFrom('stock_change')
    .selectAll()
    .$if(reason !== undefined, (changes) => changes.where('reason', '=', reason ?? 'other'))
    // Matches the condition of the partial index.
    .$if(reason !== undefined && reason !== 'sale', (changes) =>
      changes.where('reason', '<>', sql.lit('sale')),
    )
    .$if(page.after !== undefined, (changes) => changes.where('id', '<', page.after ?? ''))
    .orderBy('id', 'desc')
    .limit(toSqlLimit(page))
    .execute();
  return describeChanges(db, rows, await listNames(db, rows));
}

async function listNames(db: Db, rows: readonly Row[]): Promise<Map<string, string>> {
  const ids = new Set(rows.map(({ product_id }) => product_id));
  // PostgreSQL rejects an empty list.
  if (ids.size === 0) return new Map();
  const products = await db
    .selectFrom('product')
    .select(['id', 'name'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(products.map(({ id, name }) => [id, name]));
}

type Order = { id: string; email: string | null; number: string | null };

async function listOrders(db: Db, rows: readonly Row[]): Promise<Map<string, Order>> {
  const ids = new Set(rows.flatMap(({ order_id }) => order_id ?? []));
  if (ids.size === 0) return new Map();
  const orders = await db
    .selectFrom('order_line')
    .select('id')
    // Subqueries instead of joins: PostgreSQL might read all purchases for a join.
    .select(({ selectFrom }) => [
      selectFrom('purchase')
        .select('number')
        .whereRef('purchase.id', '=', 'order_line.purchase_id')
        .as('number'),
      selectFrom('user').select('email').whereRef('user.id', '=', 'order_line.user_id').as('email'),
    ])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(orders.map((order) => [order.id, order]));
}

async function describeChanges(
  db: Db,
  rows: readonly Row[],
  names: ReadonlyMap<string, string>,
): Promise<StockChange[]> {
  const orders = await listOrders(db, rows);
  return rows.map((row) => {
    const order = orders.get(row.order_id ?? '');
    const who = row.reason === 'sale' || row.reason === 'late_payment' ? order?.email : row.actor;
    return {
      _id: row.id,
      product: row.product_id,
      name: names.get(row.product_id) ?? '',
      change: row.change,
      level: row.level,
      reason: row.reason,
      note: row.note,
      ...(who ? { who } : {}),
      ...(order ? { order: order.id, number: order.number ?? '' } : {}),
      createdAt: new Date(row.created_at).toISOString(),
    };
  });
}
