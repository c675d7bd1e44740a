import type { Insertable, Selectable } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { StockReason } from '../../../../contract/catalogue/stock.ts';
import { executePrepared } from '../../../database/prepared-statements.ts';
import type { Schema, Tx } from '../../../database/schema.ts';
import type { Actor } from '../../audit/actor.ts';
import { insertFurtherImages } from '../images.ts';

type ProductRow = Selectable<Schema['product']>;
type NewRow = Insertable<Schema['stock_change']>;

/** Why stock changes. Leave the actor out for customers and the shop. */
export type Cause = { reason: StockReason; note?: string } & Partial<Actor>;

/** Columns that an update of the stock returns. */
export const stockColumns = ['product.id', 'name', 'available', 'low_stock', 'stock_seq'] as const;
export type UpdatedStock = Pick<ProductRow, 'id' | 'name' | 'available' | 'low_stock' | 'stock_seq'>;

/** One product's part of a change. `id` is the id of the new row. */
export type Change = { product: UpdatedStock; change: number; id?: string; orderId?: string | undefined };

/**
 * Records changes in the transaction that has just made them. This transaction holds the locks of the products, so the rows of each
 * product are in the exact order of its changes.
 */
export async function recordChanges(tx: Tx, changes: readonly Change[], cause: Cause): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ product, change, id, orderId }): NewRow => {
    const { stock_seq: seq, available: level } = product;
    return { ...toRow(product, cause, { seq, change, level, id }), order_id: orderId ?? null };
  });
  const query = tx.insertInto('stock_change').values(rows);
  await executePrepared(tx, query.compile());
}

type Numbers = { seq: number; change: number; level: number; id?: string | undefined };

function toRow({ id: product_id }: { id: string }, cause: Cause, { id = uuidv7(), ...numbers }: Numbers) {
  const { reason, note = '', actor_id = null, actor = '' } = cause;
  return {
    id,
    product_id,
    ...numbers,
    reason,
    note,
    actor_id,
    actor,
    order_id: null,
    created_at: Date.now(),
  };
}

/** Inserts products with their images and opening stock. */
export async function insertProducts(
  tx: Tx,
  products: readonly (Insertable<Schema['product']> & { id: string; further_images?: string | null })[],
  actor: Actor,
): Promise<void> {
  await tx
    .insertInto('product')
    .values(
      products.map(({ further_images, ...product }) => ({
        ...product,
        stock_seq: 1,
      })),
    )
    .execute();
  await insertFurtherImages(tx, products);
  const opening: Cause = { reason: 'opening', ...actor };
  await tx
    .insertInto('stock_change')
    .values(
      products.map(({ id, available }) =>
        toRow({ id }, opening, { seq: 1, change: available, level: available, id }),
      ),
    )
    .execute();
}
