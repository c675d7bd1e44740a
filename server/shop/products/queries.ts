import type { Insertable, Selectable } from 'kysely';
import type { Db, Schema, Tx } from '../../database/schema.ts';

export type ProductRow = Selectable<Schema['product']>;

/** In the order in which they were added. */
export function listProducts(db: Db, limit: number, after: string | undefined): Promise<ProductRow[]> {
  const all = db.selectFrom('product').selectAll();
  const page = after === undefined ? all : all.where('id', '>', after);
  return page.orderBy('id').limit(limit).execute();
}

export function findProduct(db: Db | Tx, id: string): Promise<ProductRow | undefined> {
  return db.selectFrom('product').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function insertProduct(tx: Tx, row: Insertable<Schema['product']>): Promise<void> {
  await tx.insertInto('product').values(row).execute();
}

/** Reduces the stock if there is enough. Returns whether there was. */
export async function takeStock(tx: Tx, id: string, quantity: number): Promise<boolean> {
  const { numUpdatedRows } = await reduceStock(tx, id, quantity).executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Reduces the stock for a new order, in one statement that also checks price × quantity = `total` (minor units) and the
 * product's minimum quantity. Returns undefined if any of these fails.
 */
export function takeStockForOrder(
  tx: Tx,
  { id, quantity, total }: { id: string; quantity: number; total: number },
): Promise<Pick<ProductRow, 'name'> | undefined> {
  return reduceStock(tx, id, quantity)
    .where((eb) => eb(eb('price', '*', quantity), '=', total))
    .where('minimum', '<=', quantity)
    .returning('name')
    .executeTakeFirst();
}

const reduceStock = (tx: Tx, id: string, quantity: number) =>
  tx
    .updateTable('product')
    .set((eb) => ({ available: eb('available', '-', quantity) }))
    .where('id', '=', id)
    .where('available', '>=', quantity);

/** Returns stock to a product; does nothing if the product has been deleted. */
export async function returnStock(tx: Tx, id: string, quantity: number): Promise<void> {
  await tx
    .updateTable('product')
    .set((eb) => ({ available: eb('available', '+', quantity) }))
    .where('id', '=', id)
    .execute();
}
