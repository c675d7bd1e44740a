import { contract } from '../../../contract/contract.ts';
import { notFound, ShopError } from '../../../contract/errors.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { SessionUser } from '../../http/request-context.ts';
import type { Shop } from '../shop.ts';
import { exportProducts } from './csv/export.ts';
import { createImporter } from './csv/import.ts';
import { editProduct } from './edit.ts';
import { listCategories, listProducts, type ProductQuery } from './list.ts';
import { addProduct, deleteProduct, findProduct, findShelf, toProduct } from './products.ts';

export function mountProducts(calls: Calls, shop: Shop): void {
  const { database, currency } = shop;
  const { db } = database;

  route(calls, contract.listProducts, async ({ query, viewer }) => {
    if (isForAdmins(query)) requireAdmin(viewer);
    if (query.format) return exportProducts(shop);
    const rows = await listProducts(database, query);
    return rows.map((row) => toProduct(row, currency, viewer));
  });

  route(calls, contract.listCategories, async () => ({ categories: await listCategories(database) }));

  route(calls, contract.getProduct, async ({ params, viewer }) => {
    const isAdmin = viewer?.role === 'admin';
    const row = isAdmin ? await findShelf(database, params.id) : await findProduct(db, params.id);
    if (!row) throw notFound('product');
    return toProduct(row, currency, viewer);
  });

  route(calls, contract.addProduct, async ({ viewer, body, idempotencyKey }) => {
    const insertedId = await addProduct(shop, viewer, body, idempotencyKey);
    shop.invalidateCache();
    return { insertedId };
  });

  const importFile = createImporter(shop);
  route(calls, contract.importProducts, ({ viewer, query, readFile, idempotencyKey }) =>
    importFile(viewer, {
      ...{ readFile, idempotencyKey, isDry: query.dry === '1' },
      columnNames: query.columns?.split(','),
    }),
  );

  route(calls, contract.editProduct, ({ viewer, params, body }) =>
    editProduct(shop, viewer, params.id, body),
  );

  route(calls, contract.deleteProduct, async ({ viewer, params }) => {
    const deletedCount = await deleteProduct(database, params.id, viewer);
    shop.invalidateCache();
    return { deletedCount };
  });
}

function isForAdmins({ archived, sort, ...filters }: ProductQuery): boolean {
  const { q, category, inStock, lowStock, format } = filters;
  return archived === 'true' || sort !== 'added' || Boolean(q || category || inStock || lowStock || format);
}

function requireAdmin(viewer: SessionUser | undefined): void {
  if (!viewer) throw new ShopError('not_signed_in', 'Sign in as an admin to see this list.');
  if (viewer.role !== 'admin') throw new ShopError('not_allowed', 'Only admins can see this list.');
}
