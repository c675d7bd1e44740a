import type { Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';

export type ProductRow = Selectable<Schema['product']>;

export function selectProducts(db: Db, count: number, after: string | undefined): Promise<ProductRow[]> {
  const all = db.selectFrom('product').selectAll();
  const wanted = after === undefined ? all : all.where('id', '>', after);
  return wanted.orderBy('id').limit(count).execute();
}

export function selectProduct(db: Db | Tx, id: string): Promise<ProductRow | undefined> {
  return db.selectFrom('product').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function insertProduct(tx: Tx, row: Insertable<Schema['product']>): Promise<void> {
  await tx.insertInto('product').values(row).execute();
}

export function removeProduct(tx: Tx, id: string): Promise<Pick<ProductRow, 'name'> | undefined> {
  return tx.deleteFrom('product').where('id', '=', id).returning('name').executeTakeFirst();
}

/** Takes pieces off the stock, or nothing where there are too few. */
export async function takeStock(tx: Tx, id: string, pieces: number): Promise<boolean> {
  const { numUpdatedRows } = await taking(tx, id, pieces).executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The same for a new order: nothing either where they do not cost `total` or are fewer than are sold. */
export function takeForOrder(
  tx: Tx,
  { id, pieces, total }: { id: string; pieces: number; total: number },
): Promise<Pick<ProductRow, 'name'> | undefined> {
  return taking(tx, id, pieces)
    .where((eb) => eb(eb('price', '*', pieces), '=', total))
    .where('minimum', '<=', pieces)
    .returning('name')
    .executeTakeFirst();
}

const taking = (tx: Tx, id: string, pieces: number) =>
  tx
    .updateTable('product')
    .set((eb) => ({ available: eb('available', '-', pieces) }))
    .where('id', '=', id)
    .where('available', '>=', pieces);

/** Puts pieces back; those of a product that was deleted meanwhile are dropped. */
export async function giveStockBack(tx: Tx, id: string, pieces: number): Promise<void> {
  await tx
    .updateTable('product')
    .set((eb) => ({ available: eb('available', '+', pieces) }))
    .where('id', '=', id)
    .execute();
}
