import type { ProductEdit } from '../../../contract/catalogue/product-edit.ts';
import {
  mapFields,
  type ProductField,
  productFieldNames,
  productFields,
} from '../../../contract/catalogue/product-fields.ts';
import { type ErrorData, notFound, ShopError } from '../../../contract/errors.ts';
import { formatPrice } from '../../config/currency.ts';
import type { Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';
import { checkProduct, toColumns } from './fields.ts';
import { checkImages, listImages, replaceFurtherImages, toImageColumns } from './images.ts';
import { findProduct, isArchived, type ProductRow, toShownProduct } from './products.ts';

type Changes = Partial<ProductRow>;

type EditResult = { modifiedCount: number; version: number };

/**
 * Edits, archives or restores a product; orders keep the price and name that they were placed with. Changes nothing if the product
 * has these values already, so that an edit can be repeated. Throws 404 if there is no such product; 409 with the current product
 * if `edit.version` is no longer current; 422 for a price that cannot be charged or an unknown image.
 */
export async function editProduct(
  shop: Shop,
  actor: SessionUser,
  id: string,
  edit: ProductEdit,
): Promise<EditResult> {
  const result = await shop.database.transaction(async (tx) => {
    const row = await findProduct(tx, id);
    if (!row) throw notFound('product');
    const changes = listChanges(shop, row, edit);
    if (Object.keys(changes).length === 0) return { modifiedCount: 0, version: row.version };
    if (row.version !== edit.version) throw explainConflict(shop, actor, row);
    const { price = row.price, minimum = row.minimum } = changes;
    if (price !== row.price || minimum !== row.minimum) checkProduct(shop, { price, minimum });
    if ('image' in changes || 'further_images' in changes)
      await checkImages(shop, tx, row, { ...row, ...changes });
    await updateVersion(shop, tx, actor, row, changes);
    return { modifiedCount: 1, version: row.version + 1 };
  });
  if (result.modifiedCount > 0) shop.invalidateCache();
  return result;
}

/** Other admins may edit the product until this statement locks it, so it compares the version, too. */
async function updateVersion(
  shop: Shop,
  tx: Tx,
  actor: SessionUser,
  row: ProductRow,
  changes: Changes,
): Promise<void> {
  const { id, version } = row;
  const { further_images, ...columns } = changes;
  const updated = await tx
    .updateTable('product')
    .set({ ...columns, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .returningAll()
    .executeTakeFirst();
  if (!updated) {
    const current = await findProduct(tx, id);
    throw current ? explainConflict(shop, actor, current) : notFound('product');
  }
  if (further_images !== undefined) await replaceFurtherImages(tx, [{ id, further_images }]);
  const entry = { ...toActor(actor), target: id, name: updated.name };
  const { archived_at, ...edits } = changes;
  if (Object.keys(edits).length > 0) {
    const auditChanges = listAuditChanges(shop, row, { ...row, ...changes, ...updated });
    await writeAudit(tx, { ...entry, action: 'editProduct', changes: auditChanges });
  }
  if (archived_at !== undefined)
    await writeAudit(tx, { ...entry, action: archived_at === null ? 'restoreProduct' : 'archiveProduct' });
}

/** The changed fields as the audit log shows them, before and after: money with its currency, image URLs in one string. */
function listAuditChanges(shop: Shop, before: ProductRow, after: ProductRow) {
  const show = (row: ProductRow) => ({
    ...mapFields(productFieldNames, (name) => showField(shop, name, row)),
    images: listImages(row).join(' '),
  });
  const current = Object.entries(show(after));
  const old: Record<string, string | number> = show(before);
  const changes: Record<string, [before: string | number, after: string | number]> = {};
  for (const [field, value] of current) if (old[field] !== value) changes[field] = [old[field] ?? '', value];
  return changes;
}

function showField(shop: Shop, name: ProductField, row: ProductRow): string | number {
  const { kind, column } = productFields[name];
  const value = row[column] ?? 'none';
  return kind === 'money' && typeof value === 'number' ? formatPrice(shop, value) : value;
}

/** The columns whose values an edit changes, and the further images if it changes them. */
export function listChanges(shop: Shop, row: ProductRow, edit: Omit<ProductEdit, 'version'>): Changes {
  const wanted: { [Column in keyof Changes]: Changes[Column] | undefined } = {
    ...toColumns(shop, edit),
    ...(edit.images && toImageColumns(edit.images)),
  };
  const stored: Changes = row;
  const changes: Changes = Object.fromEntries(
    Object.entries(wanted).filter(
      ([column, value]) => value !== undefined && value !== stored[column as keyof Changes],
    ),
  );
  if (edit.archived === undefined || edit.archived === isArchived(row)) return changes;
  return { ...changes, archived_at: edit.archived ? Date.now() : null };
}

function explainConflict(shop: Shop, actor: SessionUser, row: ProductRow): ShopError {
  // The rating and the estimate of delivery are not edited.
  const { images, rating, delivery, ...product } = toShownProduct(row, shop.currency, actor);
  const data: ErrorData = { images: images.map((img) => ({ img })) };
  for (const [field, value] of Object.entries(product)) if (value !== undefined) data[field] = value;
  const detail =
    'Another admin has changed this product since you opened it. Nothing was saved: compare your changes with theirs and save again.';
  return new ShopError('edit_conflict', detail, { data });
}
