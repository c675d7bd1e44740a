import type { Order } from './orders.ts';

/** How many pieces of an order are neither shipped nor removed by a refund. */
export const countLeft = ({ orderQuantity, removedQuantity = 0, shippedQuantity = 0 }: Order): number =>
  orderQuantity - removedQuantity - shippedQuantity;

/** A paid order with pieces left, and not refunded in full unless an admin still sends it; pending refunds count. */
export const canShip = (order: Order): boolean =>
  order.orderStatus === 'paid' &&
  countLeft(order) > 0 &&
  (order.refunded < order.price || order.stillSend === true);

/** An order that was refunded in full before any piece was shipped, and is not sent anyway; pending refunds count. */
export const isRefundedUnshipped = (order: Order): boolean =>
  order.orderStatus === 'paid' &&
  !order.shippedQuantity &&
  order.refunded >= order.price &&
  order.stillSend !== true;

/** Whether an order has a packing slip: its pieces are to be packed, or were packed. */
export const hasSlip = (order: Order): boolean => canShip(order) || (order.shippedQuantity ?? 0) > 0;

/** An order that is charged back is shipped only if an admin confirms that. */
export const isToShip = (order: Order): boolean => canShip(order) && order.chargedBack === undefined;
