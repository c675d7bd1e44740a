import { contract } from '../../../contract/contract.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { SessionUser } from '../../http/request-context.ts';
import type { Shop } from '../shop.ts';
import { getOrder, placeOrder, shipOrder, toOrder } from './orders.ts';
import { getPurchase, placePurchase, toPurchase } from './purchases.ts';
import { listOrders, listPurchaseOrders } from './queries.ts';

export function mountOrders(calls: Calls, shop: Shop): void {
  const { db } = shop.database;
  const requireOrder = (viewer: SessionUser, id: string) => getOrder(shop, viewer, id);

  route(calls, contract.listAllOrders, async ({ query }) => (await listOrders(db, query)).map(toOrder));

  route(calls, contract.listOwnOrders, async ({ query }) =>
    (await listOrders(db, query, query.user)).map(toOrder),
  );

  route(calls, contract.getOrder, async ({ viewer, params }) =>
    toOrder(await getOrder(shop, viewer, params.id)),
  );

  route(calls, contract.placeOrder, async ({ viewer, body, idempotencyKey }) => {
    const insertedId = await placeOrder(shop, viewer, body, idempotencyKey);
    shop.invalidateCache();
    return { insertedId };
  });

  route(calls, contract.placePurchase, async ({ viewer, body, idempotencyKey }) => {
    const insertedId = await placePurchase(shop, viewer, body, idempotencyKey);
    shop.invalidateCache();
    const orders = await listPurchaseOrders(db, { id: insertedId });
    return { insertedId, orders: orders.map(({ id }) => id) };
  });

  route(calls, contract.getPurchase, async ({ viewer, params }) =>
    toPurchase(await getPurchase(shop, viewer, params.id)),
  );

  route(
    calls,
    contract.shipOrder,
    async ({ viewer, params }) => ({ modifiedCount: await shipOrder(shop, params.id, viewer) }),
    requireOrder,
  );
}
