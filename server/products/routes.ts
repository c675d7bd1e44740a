import type { Hono } from 'hono';
import { contract } from '../../contract/contract.ts';
import { type Env, route, rowsToFetch } from '../route.ts';
import type { Shop } from '../shop.ts';
import { addProduct, deleteProduct, getProduct, listProducts, toProduct } from './products.ts';

export function mountProducts(app: Hono<Env>, shop: Shop): void {
  const { database, currency } = shop;

  route(app, contract.listProducts, async ({ query, viewer }) => {
    const rows = await listProducts(database, rowsToFetch(query), query.after);
    return rows.map((row) => toProduct(row, currency, viewer));
  });

  route(app, contract.getProduct, async ({ params, viewer }) =>
    toProduct(await getProduct(database, params.id), currency, viewer),
  );

  route(app, contract.addProduct, async ({ viewer, body, once }) => {
    const insertedId = await addProduct(shop, { viewer, body, once });
    shop.changed();
    return { insertedId };
  });

  route(app, contract.deleteProduct, async ({ params }) => {
    const deletedCount = await deleteProduct(database, params.id);
    shop.changed();
    return { deletedCount };
  });
}
