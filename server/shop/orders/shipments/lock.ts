import { ShopError } from '../../../../contract/errors.ts';
import type { Engine, Tx } from '../../../database/schema.ts';
import { listOrdersById, lockPurchase, type OrderRow } from '../queries.ts';

/** Locks the purchases of these orders, in the order of their ids. Returns the orders that exist, by id. */
export async function lockOrders(
  tx: Tx,
  engine: Engine,
  orderIds: readonly string[],
): Promise<Map<string, OrderRow>> {
  const rows = await tx.selectFrom('order_line').select('purchase_id').where('id', 'in', orderIds).execute();
  const purchaseIds = new Set(rows.map(({ purchase_id }) => purchase_id));
  for (const id of [...purchaseIds].sort()) await lockPurchase(tx, engine, id);
  const orders = await listOrdersById(tx, orderIds);
  return new Map(orders.map((order) => [order.id, order]));
}

/** Locks the purchases of an order and of all orders that have been shipped together with it. Returns these orders, by id. */
export async function lockWithParcels(
  tx: Tx,
  engine: Engine,
  orderId: string,
): Promise<Map<string, OrderRow>> {
  const together = await tx
    .selectFrom('shipment_line as own')
    .innerJoin('shipment_line as other', 'other.shipment_id', 'own.shipment_id')
    .select('other.order_line_id as id')
    .where('own.order_line_id', '=', orderId)
    .execute();
  return lockOrders(tx, engine, [...new Set([orderId, ...together.map(({ id }) => id)])]);
}

/** The error for a parcel whose orders could not be locked, because it was shipped or taken back meanwhile. */
export const shippedMeanwhile = () =>
  new ShopError('conflict', 'Another admin is shipping this order at the moment. Reload the page.');
