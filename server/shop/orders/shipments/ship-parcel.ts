import { uuidv7 } from 'uuidv7';
import { invalid, notFound } from '../../../../contract/errors.ts';
import type { NewShipment } from '../../../../contract/orders/shipments.ts';
import { type IdempotencyKey, runIdempotently } from '../../../http/calls/idempotency.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import type { Shop } from '../../shop.ts';
import type { OrderRow } from '../queries.ts';
import { parseTracking } from '../tracking.ts';
import { advanceVersion, readVersions, requireVersion } from '../version.ts';
import { lockOrders } from './lock.ts';
import { sendParcel } from './send.ts';

/**
 * Ships pieces of one or more orders of one customer as one parcel. Returns the parcel's id and the versions of the purchases.
 * Throws 404 if an order is gone; 422 if the orders cannot be in one parcel; 409 if a version is outdated, and in the cases of
 * `sendParcel`.
 */
export async function shipParcel(
  shop: Shop,
  { lines, sharedNumber, anyway = false, versions, ...body }: NewShipment,
  actor: SessionUser,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<{ insertedId: string; versions: Record<string, number> }> {
  const { database } = shop;
  const tracking = parseTracking(body);
  const id = uuidv7();
  const orderIds = lines.map(({ order }) => order);
  const shipped = await runIdempotently(database, idempotencyKey, id, async (tx) => {
    const orders = await lockOrders(tx, database.engine, orderIds);
    const [first, ...others] = lines.map(({ order: orderId, quantity }) => {
      const order = orders.get(orderId);
      if (!order) throw notFound('order');
      return { order, quantity };
    });
    if (!first) throw invalid('lines', 'Choose what to ship');
    for (const { order } of others) checkTogether(first.order, order);
    const purchases = new Map([first, ...others].map(({ order }) => [order.purchase_id, order.version]));
    for (const [purchase, version] of purchases) {
      const seen = versions[purchase];
      if (seen === undefined) throw invalid('versions', 'Version is Required');
      requireVersion(version, seen);
    }
    await sendParcel(shop, tx, { id, lines: [first, ...others], tracking, sharedNumber, anyway }, actor);
    for (const purchase of purchases.keys()) await advanceVersion(tx, purchase);
  });
  if (shipped === id) shop.countEvent('order shipped', lines.length);
  return { insertedId: shipped, versions: await readVersions(database.db, orderIds) };
}

/** A parcel has one recipient. The customers of deleted accounts are unknown: each purchase counts as a different customer's. */
function checkTogether(first: OrderRow, other: OrderRow): void {
  if (other.purchase_id === first.purchase_id) return;
  const isSameCustomer = other.user_id !== null && other.user_id === first.user_id;
  if (!isSameCustomer) throw invalid('lines', 'A parcel can only have orders of one customer');
  if (other.name !== first.name || other.address !== first.address)
    throw invalid('lines', 'A parcel can only have orders with the same name and address');
}
