import { sql } from 'kysely';
import { maxStock } from '../../../../contract/catalogue/stock.ts';
import { isIn } from '../../../database/is-in.ts';
import { executePrepared } from '../../../database/prepared-statements.ts';
import type { Engine, Tx } from '../../../database/schema.ts';
import { queueLowStock } from '../../mail/queue.ts';
import type { Shop } from '../../shop.ts';
import type { ProductRow } from '../products.ts';
import { type Cause, type Change, recordChanges, stockColumns, type UpdatedStock } from './record.ts';

/* Every change of the stock is made here, and recorded and reported in the same transaction. */

/** A quantity of one product, and the order that it is for. No two lines of a list have the same product. */
export type Line = { productId: string; quantity: number };
type OrderLine = Line & { orderId: string };

/**
 * Takes the stock for a new order, in one statement that also checks price × quantity = `total` (minor units), the
 * product's minimum quantity and that it is not archived. Returns undefined if any of these fails.
 */
export async function takeStockForOrder(
  shop: Shop,
  tx: Tx,
  { productId, quantity, total, orderId }: OrderLine & { total: number },
): Promise<Pick<ProductRow, 'name'> | undefined> {
  const isPossible = sql`and price * ${quantity} = ${total} and minimum <= ${quantity} and archived_at is null`;
  const product = await updateStock(tx, productId, -quantity, isPossible);
  if (product)
    await record(shop, tx, [{ product, change: -quantity, id: orderId, orderId }], { reason: 'sale' });
  return product;
}

/**
 * Takes the stock of all lines in one statement. Returns the products from which it was taken. If there are fewer products than
 * lines, a product is gone, is archived, has too little stock or has a higher minimum; the caller must then roll back.
 */
export async function takeStock(
  shop: Shop,
  tx: Tx,
  lines: readonly OrderLine[],
  cause: Cause,
): Promise<Pick<ProductRow, 'id' | 'name' | 'price'>[]> {
  await lockProducts(tx, shop.database.engine, listIds(lines));
  const { rows } = await sql<UpdatedStock & Pick<ProductRow, 'price'>>`
    with line (product_id, quantity) as (values ${toValues(lines)})
    update product set available = available - line.quantity, stock_seq = stock_seq + 1
    from line
    where product.id = line.product_id and available >= line.quantity and archived_at is null
      and minimum <= line.quantity
    returning product.price, ${returned}`.execute(tx);
  await recordLines(shop, tx, rows, { lines, cause, sign: -1 });
  return rows;
}

/**
 * Takes the stock of all lines of an order that has been paid, or of none of them, in one statement. Accepts products that have
 * been archived since or have a higher minimum now. Returns whether the stock was taken.
 */
export async function takePaidStock(
  shop: Shop,
  tx: Tx,
  lines: readonly OrderLine[],
  cause: Cause,
): Promise<boolean> {
  if (lines.length === 0) return true;
  await lockProducts(tx, shop.database.engine, listIds(lines));
  const { rows } = await sql<UpdatedStock>`
    with line (product_id, quantity) as (values ${toValues(lines)})
    update product set available = available - line.quantity, stock_seq = stock_seq + 1
    from line
    where product.id = line.product_id and product.available >= line.quantity
      and ${lines.length} = (select count(*) from line as other join product as stocked on stocked.id = other.product_id
        where stocked.available >= other.quantity)
    returning ${returned}`.execute(tx);
  await recordLines(shop, tx, rows, { lines, cause, sign: -1 });
  return rows.length > 0;
}

/**
 * Adds to the stock of all lines in one statement. Returns the changed products with their new stock. Skips deleted products and,
 * if `isLimited` is set, products whose stock would exceed `maxStock`. Pieces of orders and refunds always return to stock, so they
 * set no limit.
 */
export async function addStock(
  shop: Shop,
  tx: Tx,
  lines: readonly (Line & { orderId?: string })[],
  cause: Cause,
  { isLimited = false } = {},
): Promise<UpdatedStock[]> {
  await lockProducts(tx, shop.database.engine, listIds(lines));
  const { rows } = await sql<UpdatedStock>`
    with line (product_id, quantity) as (values ${toValues(lines)})
    update product set available = available + line.quantity, stock_seq = stock_seq + 1
    from line
    where product.id = line.product_id
      ${isLimited ? sql`and available + line.quantity <= ${maxStock}` : sql``}
    returning ${returned}`.execute(tx);
  await recordLines(shop, tx, rows, { lines, cause, sign: 1 });
  return rows;
}

/** Records the change of each line. The row of a sale has the order's id. */
async function recordLines(
  shop: Shop,
  tx: Tx,
  products: readonly UpdatedStock[],
  { lines, cause, sign }: { lines: readonly (Line & { orderId?: string })[]; cause: Cause; sign: 1 | -1 },
): Promise<void> {
  const byProduct = new Map(products.map((product) => [product.id, product]));
  const changes = lines.flatMap(({ productId, quantity, orderId }) => {
    const product = byProduct.get(productId);
    if (!product) return [];
    const id = cause.reason === 'sale' && orderId ? { id: orderId } : {};
    return { product, change: sign * quantity, orderId, ...id };
  });
  await record(shop, tx, changes, cause);
}

/** Records the changes, and tells the admins about products that have just become low. */
async function record(shop: Shop, tx: Tx, changes: readonly Change[], cause: Cause): Promise<void> {
  await recordChanges(tx, changes, cause);
  const low = changes.filter(
    ({ product: { available, low_stock }, change }) =>
      low_stock !== null && available < low_stock && available - change >= low_stock,
  );
  await queueLowStock(
    shop,
    tx,
    low.map(({ product }) => product.id),
  );
}

/**
 * Changes a product's stock by `change` pieces, in one statement that keeps it from falling below zero or rising above `maxStock`.
 * Returns the product with its new stock, or undefined if it is gone or has too few or too many pieces. `id` is the id of the new
 * row in the stock history. `orderId` is the order that the change belongs to, if any.
 */
export async function adjustStock(
  shop: Shop,
  tx: Tx,
  { productId, ...change }: { id: string; productId: string; change: number; orderId?: string },
  cause: Cause,
): Promise<UpdatedStock | undefined> {
  const product = await updateStock(tx, productId, change.change);
  if (product) await record(shop, tx, [{ product, ...change }], cause);
  return product;
}

/** Changes a product's stock within its limits, if `isPossible`. The caller records the change. */
async function updateStock(tx: Tx, id: string, change: number, isPossible = sql``) {
  // Returned pieces may exceed the limit; removals must still work.
  const isWithinLimit = change > 0 ? sql`and available + ${change} <= ${maxStock}` : sql``;
  const query = sql<UpdatedStock>`
    update product set available = available + ${change}, stock_seq = stock_seq + 1
    where id = ${id} and available + ${change} >= 0 ${isWithinLimit} ${isPossible}
    returning ${returned}`;
  return (await executePrepared(tx, query.compile(tx))).rows[0];
}

const returned = sql.join(stockColumns.map((name) => sql.ref(name)));

const listIds = (lines: readonly Line[]) => lines.map(({ productId }) => productId);

/** Locks in the order of the ids, so that two writers never wait for each other. SQLite has one writer at a time. */
export async function lockProducts(tx: Tx, engine: Engine, ids: readonly string[]): Promise<void> {
  if (engine === 'sqlite' || ids.length < 2) return;
  await tx
    .selectFrom('product')
    .select('id')
    .where(isIn(engine, sql.ref('id'), ids))
    .orderBy('id')
    .forUpdate()
    .execute();
}

const toValues = (lines: readonly Line[]) =>
  sql.join(lines.map(({ productId, quantity }) => sql`(${productId}, cast(${quantity} as bigint))`));
