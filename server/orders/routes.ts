import { contract } from '../../contract/contract.ts';
import { rowsToFetch } from '../answer.ts';
import { invalid } from '../errors.ts';
import { confirmPayment } from '../payments/confirm.ts';
import { type Calls, route } from '../route.ts';
import type { Shop } from '../shop.ts';
import { endUnpaidOrder } from './end.ts';
import { getOrder, placeOrder, shipOrder, toOrder } from './orders.ts';
import { selectOrders } from './queries.ts';

export function mountOrders(calls: Calls, shop: Shop): void {
  const { db } = shop.database;
  const exists = (viewer: Parameters<typeof getOrder>[1], id: string) => getOrder(shop, viewer, id);

  route(calls, contract.listAllOrders, async ({ query }) => {
    const rows = await selectOrders(db, { count: rowsToFetch(query), after: query.after });
    return rows.map(toOrder);
  });

  route(calls, contract.listOwnOrders, async ({ query }) => {
    const rows = await selectOrders(db, { email: query.user, count: rowsToFetch(query), after: query.after });
    return rows.map(toOrder);
  });

  route(calls, contract.getOrder, async ({ viewer, params }) =>
    toOrder(await getOrder(shop, viewer, params.id)),
  );

  route(calls, contract.placeOrder, async ({ viewer, body, once }) => {
    const insertedId = await placeOrder(shop, { viewer, body, once });
    shop.changed();
    return { insertedId };
  });

  route(
    calls,
    contract.shipOrder,
    async ({ viewer, params }) => ({ modifiedCount: await shipOrder(shop, params.id, viewer) }),
    exists,
  );

  route(
    calls,
    contract.markOrderPaid,
    async ({ viewer, params, body }) => {
      if (body.order !== undefined && body.order !== params.id)
        throw invalid('order', 'Order must be the one of the address');
      const order = await getOrder(shop, viewer, params.id);
      return { modifiedCount: await confirmPayment(shop, order, body.transactionId) };
    },
    exists,
  );

  route(
    calls,
    contract.deleteOrder,
    async ({ viewer, params }) => {
      await endUnpaidOrder(shop, params.id, 'delete', viewer);
      return { deletedCount: 1 };
    },
    exists,
  );
}
