import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { notFound } from '../../../contract/errors.ts';
import type { versionedCount } from '../../../contract/fields.ts';
import type { Shipment } from '../../../contract/orders/shipping.ts';
import type { SessionUser } from '../../http/request-context.ts';
import type { Shop } from '../shop.ts';
import { countLeft } from './queries.ts';
import { correctParcel } from './shipments/correct.ts';
import { lockWithParcels } from './shipments/lock.ts';
import { listShipments } from './shipments/read.ts';
import { explainRejection, type NewParcel, sendParcel } from './shipments/send.ts';
import { parseTracking } from './tracking.ts';
import { advanceVersion, requireVersion } from './version.ts';

/**
 * Ships pieces of a paid order as one parcel, by default all that are left. With `shipment.shipment`, or if the order is shipped,
 * it corrects a parcel instead: it replaces the tracking of that parcel, by default the last one, for all orders in it. Throws
 * 404 if the order or the parcel is gone; 409 if the order is unpaid or has fewer pieces left, if its purchase has changed since
 * `shipment.version`, or if the new tracking number is another customer's and not confirmed.
 */
export async function shipOrder(
  shop: Shop,
  id: string,
  shipment: Shipment,
  actor: SessionUser,
): Promise<z.output<typeof versionedCount>> {
  const tracking = parseTracking(shipment);
  const { quantity, shipment: parcelId, sharedNumber, anyway = false, version: seen } = shipment;
  const { result, version } = await shop.database.transaction(async (tx) => {
    const orders = await lockWithParcels(tx, shop.database.engine, id);
    const order = orders.get(id);
    if (!order) throw notFound('order');
    if (order.status !== 'sipping' && parcelId === undefined) {
      if (order.status === 'paid') requireVersion(order.version, seen);
      // At least one piece is requested, so that an order without pieces to ship is rejected.
      const line = { order, quantity: quantity ?? Math.max(1, countLeft(order)) };
      const sent: NewParcel = { id: uuidv7(), lines: [line], tracking, sharedNumber, anyway };
      await sendParcel(shop, tx, sent, actor);
      return { result: 'shipped', version: await advanceVersion(tx, order.purchase_id) };
    }
    const parcels = await listShipments(tx, [id]);
    const parcel = parcelId === undefined ? parcels.at(-1) : parcels.find((row) => row.id === parcelId);
    if (!parcel) throw notFound('shipment');
    // If the request that shipped the last parcel is repeated, it changes nothing.
    if (quantity !== undefined && quantity !== parcel.quantity) throw explainRejection(order);
    const correction = { parcel, orders, tracking, sharedNumber, seen };
    const isCorrected = await correctParcel(shop, tx, correction, actor);
    return { result: isCorrected ? 'corrected' : 'unchanged', version: order.version };
  });
  if (result === 'shipped') shop.countEvent('order shipped');
  return { modifiedCount: result === 'unchanged' ? 0 : 1, version };
}
