import { publicSorts } from '../../../contract/catalogue/product-sorts.ts';
import type { ShownProduct } from '../../../contract/catalogue/products.ts';
import { contract } from '../../../contract/contract.ts';
import { notFound } from '../../../contract/errors.ts';
import { createBurstLimit } from '../../http/burst-limit.ts';
import { type Calls, requireListAdmin, route } from '../../http/calls/route.ts';
import { createEstimator, toSmallestOrder } from '../delivery/estimate.ts';
import { countRatings } from '../reviews/list.ts';
import type { Shop } from '../shop.ts';
import { cancelBackInStock, hasRequested, requestBackInStock } from './back-in-stock.ts';
import { exportProducts } from './csv/export.ts';
import { createImporter } from './csv/import.ts';
import { deleteProduct } from './deletion.ts';
import { editProduct } from './edit.ts';
import { countMatches } from './filter-counts.ts';
import type { FilterQuery } from './filters.ts';
import { listCategories, listProducts, type ProductQuery } from './list.ts';
import {
  addProduct,
  createProductFinder,
  findProductWithOrdered,
  isArchived,
  isSoldOut,
  toProduct,
  toShownProduct,
} from './products.ts';
import { listRelatedProducts } from './related.ts';
import { splitSearch } from './search/terms.ts';

export function mountProducts(calls: Calls, shop: Shop): void {
  const { database, currency } = shop;
  const findProduct = createProductFinder(database.db);
  const limitSearches = createSearchLimit(shop);

  route(calls, contract.listProducts, async ({ query, viewer, address }) => {
    if (isAdminQuery(query)) requireListAdmin(viewer);
    if (query.format) return exportProducts(shop);
    limitSearches(address, query);
    const rows = await listProducts(shop, query);
    const estimate = await createEstimator(shop, viewer);
    return rows.map((row) => ({ ...toProduct(row, currency, viewer), ...estimate(toSmallestOrder(row)) }));
  });

  route(calls, contract.getProductFilters, async ({ query, viewer, address }) => {
    if (hasAdminFilter(query)) requireListAdmin(viewer);
    limitSearches(address, query);
    return countMatches(shop, query);
  });

  route(calls, contract.listCategories, async () => ({ categories: await listCategories(database) }));

  route(calls, contract.getProduct, async ({ params, query, viewer }) => {
    const isAdmin = viewer?.role === 'admin';
    const row = isAdmin ? await findProductWithOrdered(database, params.id) : await findProduct(params.id);
    if (!row) throw notFound('product');
    const ratings = row.rating_count > 0 ? { ratings: await countRatings(database.db, row.id) } : {};
    const canWait = viewer && shop.sendsMail && (isSoldOut(row) || isArchived(row));
    const isWaiting = canWait && (await hasRequested(database.db, viewer, row.id));
    const waiting: Pick<ShownProduct, 'backInStock'> = isWaiting ? { backInStock: true } : {};
    const estimate = await createEstimator(shop, viewer, query.country);
    return {
      ...toShownProduct(row, currency, viewer),
      ...ratings,
      ...waiting,
      ...estimate(toSmallestOrder(row)),
    };
  });

  route(calls, contract.requestBackInStock, async ({ viewer, params }) => ({
    modifiedCount: await requestBackInStock(shop, viewer, params.id),
  }));

  route(calls, contract.cancelBackInStock, async ({ viewer, params }) => ({
    deletedCount: await cancelBackInStock(shop, viewer, params.id),
  }));

  route(calls, contract.listRelatedProducts, ({ params, viewer }) =>
    listRelatedProducts(shop, params.id, viewer),
  );

  route(calls, contract.addProduct, async ({ viewer, body, idempotencyKey }) => {
    const insertedId = await addProduct(shop, viewer, body, idempotencyKey);
    shop.invalidateCache();
    return { insertedId };
  });

  const importFile = createImporter(shop);
  route(calls, contract.importProducts, ({ viewer, query, readFile, idempotencyKey }) =>
    importFile(viewer, {
      readFile,
      idempotencyKey,
      isDry: query.dry === '1',
      skipsUnmatched: query.skip === 'unmatched',
      encoding: query.encoding,
      completedBytes: Number(query.completed ?? 0),
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

/** On SQLite, a search blocks the process, for longer the more words it has. */
function createSearchLimit({ rateLimits }: Shop) {
  const { searchedWordsPerAddress, searchedWordsPerAddressAndSecond } = rateLimits;
  const message = 'Too many searches from your network: wait a few seconds and try again.';
  const consume = createBurstLimit(searchedWordsPerAddress, searchedWordsPerAddressAndSecond, message);
  return (address: string, { q }: FilterQuery): void => consume(address, splitSearch(q).length);
}

const hasAdminFilter = ({ archived, inStock, lowStock, weight }: FilterQuery): boolean =>
  archived === 'true' || inStock === 'false' || lowStock !== undefined || weight !== undefined;

const isAdminQuery = ({ sort = 'best', format, ...filters }: ProductQuery): boolean =>
  format !== undefined || !publicSorts.some((one) => one === sort) || hasAdminFilter(filters);
