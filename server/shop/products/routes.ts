import { contract } from '../../../contract/contract.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { Shop } from '../shop.ts';
import { addProduct, deleteProduct, getProduct, listProducts, toProduct } from './products.ts';

export function mountProducts(calls: Calls, shop: Shop): void {
  const { database, currency } = shop;

  route(calls, contract.listProducts, async ({ query, viewer }) => {
    const rows = await listProducts(database, toSqlLimit(query), query.after);
    return rows.map((row) => toProduct(row, currency, viewer));
  });

  route(calls, contract.getProduct, async ({ params, viewer }) =>
    toProduct(await getProduct(database, params.id), currency, viewer),
  );

  route(calls, contract.addProduct, async ({ viewer, body, idempotencyKey }) => {
    const insertedId = await addProduct(shop, viewer, body, idempotencyKey);
    shop.invalidateCache();
    return { insertedId };
  });

  route(calls, contract.deleteProduct, async ({ viewer, params }) => {
    const deletedCount = await deleteProduct(database, params.id, viewer);
    shop.invalidateCache();
    return { deletedCount };
  });
}
