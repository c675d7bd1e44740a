import { type Insertable, type Selectable, sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { StockReason } from '../../../../contract/catalogue/stock.ts';
import type { Database } from '../../../database/database.ts';
import type { Schema, Tx } from '../../../database/schema.ts';
import { insertFurtherImages } from '../images.ts';

type ProductRow = Selectable<Schema['product']>;
type NewRow = Insertable<Schema['stock_change']>;

/** Why stock changes. `who` is the admin's email address; leave it out for customers and the shop. */
export type Cause = { reason: StockReason; who?: string; note?: string };

/** Columns that an update of the stock returns. */
export const stockColumns = [
  ...(['product.id', 'name', 'available', 'low_stock', 'stock_seq', 'stock_level'] as const),
] as const;
export type UpdatedStock = Pick<
  ProductRow,
  'id' | 'name' | 'available' | 'low_stock' | 'stock_seq' | 'stock_level'
>;

/** One product's part of a change. `id` is the new row's. */
export type Change = { product: UpdatedStock; change: number; id?: string; orderId?: string | undefined };

/**
 * Records changes in the transaction that has just made them: it holds the products' locks, so the rows of each are in the
 * exact order of its changes.
 */
export async function recordChanges(tx: Tx, changes: readonly Change[], cause: Cause): Promise<void> {
  const rows: NewRow[] = [];
  for (const { product, change, id, orderId } of changes) {
    const { available, stock_seq, stock_level } = product;
    const isMissed = available !== stock_level;
    if (isMissed) {
      rows.push(toMissedRow(product, available - change));
      await setRecorded(tx, product, stock_seq + 1);
    }
    const seq = isMissed ? stock_seq + 1 : stock_seq;
    rows.push({ ...toRow(product, cause, { seq, change, level: available, id }), order_id: orderId ?? null });
  }
  if (rows.length > 0) await tx.insertInto('stock_change').values(rows).execute();
}

type Numbers = { seq: number; change: number; level: number; id?: string | undefined };

function toRow({ id: product_id }: { id: string }, cause: Cause, { id = uuidv7(), ...numbers }: Numbers) {
  const { reason, note = '', who = '' } = cause;
  return { id, product_id, ...numbers, reason, note, who, order_id: null, created_at: Date.now() };
}

/** A change of `available` to `level` that has no row, such as sales by the previous release during an upgrade. */
function toMissedRow(product: UpdatedStock, level: number): NewRow {
  const { available, stock_seq: seq, stock_level } = product;
  return toRow(
    product,
    { reason: seq === 1 ? 'opening' : 'unrecorded' },
    { seq, change: available - stock_level, level },
  );
}

const setRecorded = (tx: Tx, { id, available }: UpdatedStock, stock_seq: number) =>
  tx.updateTable('product').set({ stock_seq, stock_level: available }).where('id', '=', id).execute();

/** Inserts products with their images and opening stock. */
export async function insertProducts(
  tx: Tx,
  products: readonly (Insertable<Schema['product']> & { id: string; further_images?: string | null })[],
  who: string,
): Promise<void> {
  await tx
    .insertInto('product')
    .values(
      products.map(({ further_images, ...product }) => ({
        ...product,
        ...{ stock_seq: 1, stock_level: product.available },
      })),
    )
    .execute();
  await insertFurtherImages(tx, products);
  const opening: Cause = { reason: 'opening', who };
  await tx
    .insertInto('stock_change')
    .values(
      products.map(({ id, available }) =>
        toRow({ id }, opening, { seq: 1, change: available, level: available, id }),
      ),
    )
    .execute();
}

/** Products per call, which takes some milliseconds however many products there are. */
const sweepBatchSize = 5000;

/**
 * Records missed changes that no later change has recorded. Each call checks one batch of products, after the id `after`.
 * Returns the `after` of the next call, which is '' at the end.
 */
export async function recordMissedChanges({ db, transaction }: Database, after = ''): Promise<string> {
  const products = await db
    .selectFrom('product')
    .select(['id', 'available', 'stock_level'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(sweepBatchSize)
    .execute();
  for (const { id } of products.filter(({ available, stock_level }) => available !== stock_level))
    await transaction((tx) => recordMissedChange(tx, id));
  return products.length < sweepBatchSize ? '' : (products.at(-1)?.id ?? '');
}

async function recordMissedChange(tx: Tx, id: string): Promise<void> {
  const product = await tx
    .updateTable('product')
    .set((eb) => ({ stock_seq: eb('stock_seq', '+', 1) }))
    .where('id', '=', id)
    .whereRef('available', '<>', 'stock_level')
    .returning(stockColumns)
    .executeTakeFirst();
  // Another change has recorded it in the meantime.
  if (!product) return;
  await tx.insertInto('stock_change').values(toMissedRow(product, product.available)).execute();
  await setRecorded(tx, product, product.stock_seq);
}

/**
 * Deletes the history of products that the previous release deleted during an upgrade. Each call checks one batch of
 * histories, after the opening row with the id `after`. Returns the `after` of the next call, which is '' at the end.
 */
export async function deleteOrphanedHistories({ db }: Database, after = ''): Promise<string> {
  const openings = await db
    .selectFrom('stock_change')
    .select(['id', 'product_id'])
    // Not a join: PostgreSQL might read all products for it.
    .select(({ selectFrom }) =>
      selectFrom('product').select('product.id').whereRef('product.id', '=', 'product_id').as('existing'),
    )
    .where('reason', '=', 'opening')
    // Matches the condition of the partial index.
    .where('reason', '<>', sql.lit('sale'))
    // Not `id > after`: PostgreSQL might read the primary key instead, with all sales.
    .where(sql<boolean>`(reason, id) > ('opening', ${after})`)
    .orderBy('id')
    .limit(sweepBatchSize)
    .execute();
  const deleted = openings.filter(({ existing }) => existing === null);
  if (deleted.length > 0)
    await db
      .deleteFrom('stock_change')
      .where(
        'product_id',
        'in',
        deleted.map(({ product_id }) => product_id),
      )
      .execute();
  return openings.length < sweepBatchSize ? '' : (openings.at(-1)?.id ?? '');
}
