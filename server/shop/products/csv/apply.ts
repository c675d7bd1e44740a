import { sql } from 'kysely';
import { productFieldNames, productFields } from '../../../../contract/catalogue/product-fields.ts';
import { ShopError } from '../../../../contract/errors.ts';
import type { Tx } from '../../../database/schema.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { toActor } from '../../audit/actor.ts';
import type { Shop } from '../../shop.ts';
import { replaceFurtherImages } from '../images.ts';
import type { ProductRow } from '../products.ts';
import { insertProducts } from '../stock/record.ts';
import { addStock, lockProducts } from '../stock/stock.ts';
import type { CatalogueRow } from './export.ts';
import type { Update } from './row.ts';

/** Rows per statement. */
const batchSize = 200;

/** A product was edited or deleted, or its stock has changed, since it was compared with the file. */
const conflict = () =>
  new ShopError(
    'edit_conflict',
    'Other admins are changing these products at the moment. Nothing was imported. Try again shortly.',
  );

/** Inserts new products with their opening stock. */
export async function applyCreates(tx: Tx, creates: CatalogueRow[], viewer: SessionUser): Promise<void> {
  for (const products of chunk(creates)) await insertProducts(tx, products, toActor(viewer));
}

/** Writes edited products and deliveries. Throws 409 if a product was edited or deleted in the meantime. */
export async function applyUpdates(
  shop: Shop,
  tx: Tx,
  updates: Update[],
  viewer: SessionUser,
): Promise<void> {
  // Lock the products in the order in which purchases do.
  const sorted = updates.toSorted((one, other) => (one.next.id < other.next.id ? -1 : 1));
  for (const batch of chunk(sorted)) {
    await lockProducts(
      tx,
      shop.database.engine,
      batch.map(({ next }) => next.id),
    );
    const edited = batch.filter(({ isEdited }) => isEdited);
    const withNewImages = edited.filter(({ hasNewImages }) => hasNewImages);
    if (edited.length > 0)
      await updateProducts(
        tx,
        edited.map(({ next }) => next),
      );
    if (withNewImages.length > 0)
      await replaceFurtherImages(
        tx,
        withNewImages.map(({ next }) => next),
      );
    const delivered = batch.filter(({ delivery }) => delivery > 0);
    if (delivered.length > 0) await addDeliveries(shop, tx, delivered, viewer);
  }
}

function* chunk<Row>(rows: Row[]) {
  for (let index = 0; index < rows.length; index += batchSize) yield rows.slice(index, index + batchSize);
}

const fieldColumns = productFieldNames.map((name) => productFields[name]);
const editedColumns = [...fieldColumns.map(({ column }) => column), 'image', 'archived_at'] as const;
const numberColumns = new Set<string>([
  ...fieldColumns.flatMap(({ kind, column }) => (kind === 'money' || kind === 'count' ? column : [])),
  'archived_at',
]);

/** Writes the edited columns of products that still have their version. */
async function updateProducts(tx: Tx, products: ProductRow[]): Promise<void> {
  const values = products.map(
    (product) =>
      sql`(${sql.join((['id', 'version', ...editedColumns] as const).map((column) => product[column]))})`,
  );
  // PostgreSQL assumes that parameters in VALUES are text.
  const assignments = editedColumns.map((column, index) => {
    const value = sql.ref(`edited.column${index + 3}`);
    return sql`${sql.ref(column)} = ${numberColumns.has(column) ? sql`cast(${value} as bigint)` : value}`;
  });
  const { numAffectedRows } = await sql`
    update product set
      version = product.version + 1,
      ${sql.join(assignments)}
    from (values ${sql.join(values)}) as edited
    where product.id = edited.column1 and product.version = cast(edited.column2 as bigint)`.execute(tx);
  if (Number(numAffectedRows) !== products.length) throw conflict();
}

/** Adds the delivered pieces to the current stock, and reports the new stock. Throws 409 if it would exceed `maxStock`. */
async function addDeliveries(shop: Shop, tx: Tx, updates: Update[], viewer: SessionUser): Promise<void> {
  const lines = updates.map(({ next, delivery }) => ({ productId: next.id, quantity: delivery }));
  const cause = { reason: 'delivery', ...toActor(viewer) } as const;
  const products = await addStock(shop, tx, lines, cause, { isLimited: true });
  const stocks = new Map(products.map(({ id, available }) => [id, available]));
  for (const { next, delivery, change } of updates) {
    const stock = stocks.get(next.id);
    if (stock === undefined) throw conflict();
    const values = { before: `${stock - delivery}`, after: `${stock}` };
    change.changes = change.changes.map((one) => (one.field === 'delivery' ? { ...one, ...values } : one));
  }
}
