import { sql } from 'kysely';
import type { Engine, Tx } from '../../database/schema.ts';
import type { ProductRow } from './products.ts';

/** A quantity of one product. No two lines of a list have the same product. */
export type Line = { productId: string; quantity: number };

/**
 * Takes the stock for a new order, in one statement that also checks price × quantity = `total` (minor units) and the
 * product's minimum quantity. Returns undefined if any of these fails.
 */
export function takeStockForOrder(
  tx: Tx,
  { productId, quantity, total }: Line & { total: number },
): Promise<Pick<ProductRow, 'name'> | undefined> {
  return tx
    .updateTable('product')
    .set((eb) => ({ available: eb('available', '-', quantity) }))
    .where('id', '=', productId)
    .where('available', '>=', quantity)
    .where((eb) => eb(eb('price', '*', quantity), '=', total))
    .where('minimum', '<=', quantity)
    .returning('name')
    .executeTakeFirst();
}

/**
 * Takes the stock of all lines in one statement. Returns the products from which it was taken. If there are fewer of them
 * than lines, a product is gone or has too little stock or, unless `anyQuantity` is set, a higher minimum; the caller must
 * then roll back.
 */
export async function takeStock(
  tx: Tx,
  engine: Engine,
  lines: readonly Line[],
  { anyQuantity = false } = {},
): Promise<Pick<ProductRow, 'id' | 'name' | 'price'>[]> {
  await lockProducts(tx, engine, lines);
  const { rows } = await sql<Pick<ProductRow, 'id' | 'name' | 'price'>>`
    with line (product_id, quantity) as (values ${toValues(lines)})
    update product set available = available - line.quantity from line
    where product.id = line.product_id and available >= line.quantity
      ${anyQuantity ? sql`` : sql`and minimum <= line.quantity`}
    returning product.id, product.name, product.price`.execute(tx);
  return rows;
}

/** Returns the stock of all lines in one statement; nothing for a product that has been deleted. */
export async function returnStock(tx: Tx, engine: Engine, lines: readonly Line[]): Promise<void> {
  await lockProducts(tx, engine, lines);
  await sql`
    with line (product_id, quantity) as (values ${toValues(lines)})
    update product set available = available + line.quantity from line
    where product.id = line.product_id`.execute(tx);
}

/** Locks in the order of the ids, so that two purchases never wait for each other. SQLite has one writer at a time. */
async function lockProducts(tx: Tx, engine: Engine, lines: readonly Line[]): Promise<void> {
  if (engine === 'sqlite' || lines.length === 1) return;
  const ids = lines.map(({ productId }) => productId);
  await tx.selectFrom('product').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute();
}

const toValues = (lines: readonly Line[]) =>
  sql.join(lines.map(({ productId, quantity }) => sql`(${productId}, cast(${quantity} as bigint))`));
