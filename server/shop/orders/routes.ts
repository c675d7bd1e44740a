import { contract } from '../../../contract/contract.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import { createFairQueue } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { findSalesVersion } from '../sales/read-sales.ts';
import type { Shop } from '../shop.ts';
import { findUserId } from '../users/find-users.ts';
import { changeDelivery } from './delivery.ts';
import { readDetails } from './details.ts';
import { exportOrders } from './list/export.ts';
import { listAllOrders } from './list/list-orders.ts';
import { sumOrders } from './list/sum-orders.ts';
import { addNote } from './notes.ts';
import { getOrder, toOrder } from './orders.ts';
import { toOwnOrders } from './own-orders.ts';
import { placeOrder } from './place-order.ts';
import { getPurchase, placePurchase } from './purchases.ts';
import { listOrders, listPurchaseOrders } from './queries.ts';
import { readNotes, readPurchase } from './read-purchase.ts';
import { recordReturn } from './returns.ts';
import { listShipmentLines } from './shipments/read.ts';
import { shipParcel } from './shipments/ship-parcel.ts';
import { undoShipment } from './shipments/undo.ts';
import { shipOrder } from './shipping.ts';
import { reportVersion, reportVersions } from './version.ts';

/**
 * On PostgreSQL, a purchase locks the products of up to 50 lines. So each user places one purchase at a time, and all users
 * together only a few, which leaves most database connections to other requests. A waiting purchase is dropped if its client
 * disconnects.
 */
const maxPurchasesPerUser = 1;
const maxPurchases = 4;
const maxWaitingPurchases = 1000;

export function mountOrders(calls: Calls, shop: Shop): void {
  const { db } = shop.database;
  const takeTurn = createFairQueue(maxPurchasesPerUser, maxWaitingPurchases);
  const placeInTurn = createFairQueue(maxPurchases, maxWaitingPurchases);
  const requireSubject = (viewer: SessionUser, id: string) => getOrder(shop, viewer, id);

  const { timeZone } = shop.config;
  route(calls, contract.listAllOrders, async ({ query }) =>
    query.format === 'csv'
      ? exportOrders(shop.database, { ...query, timeZone })
      : (await listAllOrders(shop.database, { ...query, timeZone })).map(toOrder),
  );

  route(calls, contract.sumOrders, ({ query }) => sumOrders(shop.database, { ...query, timeZone }), {
    findVersion: () => findSalesVersion(db),
  });

  route(calls, contract.listOwnOrders, async ({ query, viewer }) => {
    const isOwn = query.user === viewer.email;
    const userId = isOwn ? viewer.id : await findUserId(db, query.user);
    return userId === undefined ? [] : toOwnOrders(db, await listOrders(db, query, userId));
  });

  route(calls, contract.getOrder, async ({ viewer, params }) => {
    const row = await getOrder(shop, viewer, params.id);
    const { describe } = await readDetails(db, viewer, [row]);
    return { ...describe(row), ...(await readNotes(db, viewer, row.purchase_id)) };
  });

  route(calls, contract.placeOrder, async ({ viewer, body, idempotencyKey }) => {
    return { insertedId: await placeOrder(shop, viewer, body, idempotencyKey) };
  });

  route(calls, contract.placePurchase, async ({ viewer, body, idempotencyKey, signal }) => {
    const place = () => placePurchase(shop, viewer, body, idempotencyKey);
    const insertedId = await takeTurn(viewer.id, () => placeInTurn('', place, signal), signal);
    const orders = await listPurchaseOrders(db, { id: insertedId });
    return { insertedId, orders: orders.map(({ id }) => id) };
  });

  route(calls, contract.getPurchase, async ({ viewer, params }) => {
    return readPurchase(shop, viewer, await getPurchase(shop, viewer, params.id));
  });

  route(
    calls,
    contract.changeDelivery,
    ({ viewer, body, subject: [{ purchase_id }] }) =>
      reportVersion(db, purchase_id, () => changeDelivery(shop, purchase_id, body, viewer)),
    { requireSubject: (viewer: SessionUser, id: string) => getPurchase(shop, viewer, id) },
  );

  route(
    calls,
    contract.shipOrder,
    ({ viewer, params, body, subject: order }) =>
      reportVersion(db, order.purchase_id, () => shipOrder(shop, params.id, body, viewer)),
    { requireSubject },
  );

  route(
    calls,
    contract.recordReturn,
    ({ viewer, body, subject: order }) =>
      reportVersion(db, order.purchase_id, async () => ({
        modifiedCount: 1,
        version: await recordReturn(shop, order, body, viewer),
      })),
    { requireSubject },
  );

  route(calls, contract.shipParcel, ({ viewer, body, idempotencyKey }) =>
    reportVersions(
      db,
      body.lines.map(({ order }) => order),
      () => shipParcel(shop, body, viewer, idempotencyKey),
    ),
  );

  route(calls, contract.undoShipment, async ({ viewer, params: { id } }) => {
    const lines = await listShipmentLines(db, [id]);
    const orderIds = lines.map(({ order_line_id }) => order_line_id);
    return reportVersions(db, orderIds, async () => ({
      deletedCount: 1,
      versions: await undoShipment(shop, { id, orderIds }, viewer),
    }));
  });

  route(
    calls,
    contract.addOrderNote,
    async ({ viewer, body, idempotencyKey, subject: order }) => ({
      insertedId: await addNote(shop, order, body, viewer, idempotencyKey),
    }),
    { requireSubject },
  );
}
