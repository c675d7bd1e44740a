import type { Order } from './orders.ts';

/** How many pieces of an order are neither shipped nor removed by a refund. */
export const countLeft = ({ orderQuantity, removedQuantity = 0, shippedQuantity = 0 }: Order): number =>
  orderQuantity - removedQuantity - shippedQuantity;

/**
 * Whether a paid order has pieces left to ship. An order that is refunded in full, counting pending refunds, is shipped only if an
 * admin has chosen that.
 */
export const canShip = (order: Order): boolean =>
  order.orderStatus === 'paid' &&
  countLeft(order) > 0 &&
  (order.refunded < order.price || order.stillSend === true);

/** Whether an order was refunded in full, counting pending refunds, before any piece was shipped, and will not be shipped anyway. */
export const isRefundedUnshipped = (order: Order): boolean =>
  order.orderStatus === 'paid' &&
  !order.shippedQuantity &&
  order.refunded >= order.price &&
  order.stillSend !== true;

/** Whether an order has a packing slip: its pieces are to be packed, or were packed. */
export const hasSlip = (order: Order): boolean => canShip(order) || (order.shippedQuantity ?? 0) > 0;

/** Whether an order is listed as to ship. A charged-back order is not; an admin may confirm that it is shipped anyway. */
export const isToShip = (order: Order): boolean => canShip(order) && order.chargedBack === undefined;
