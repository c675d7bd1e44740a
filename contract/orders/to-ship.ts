import type { Order } from './orders.ts';

/** How many pieces of an order are neither shipped nor removed by a refund. */
export const countLeft = ({ orderQuantity, removedQuantity = 0, shippedQuantity = 0 }: Order): number =>
  orderQuantity - removedQuantity - shippedQuantity;

/** A paid order with pieces left, and not refunded in full unless an admin still sends it; pending refunds count. */
export const canShip = (order: Order): boolean =>
  order.orderStatus === 'paid' &&
  countLeft(order) > 0 &&
  (order.refunded < order.price || order.stillSend === true);

/** One that was refunded in full, or is being refunded, before any piece was shipped, and that is not sent. */
export const isRefundedUnshipped = (order: Order): boolean =>
  order.orderStatus === 'paid' &&
  !order.shippedQuantity &&
  order.refunded >= order.price &&
  order.stillSend !== true;

/** Whether there is a packing slip: pieces are to be packed, or were. */
export const hasSlip = (order: Order): boolean => canShip(order) || (order.shippedQuantity ?? 0) > 0;

/** One that is charged back is shipped only if an admin confirms that. */
export const isToShip = (order: Order): boolean => canShip(order) && order.chargedBack === undefined;
