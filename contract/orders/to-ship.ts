import type { Order } from './orders.ts';

/**
 * How many pieces of an order are not shipped because they were refunded first; pending refunds count. Otherwise, its parcels hold
 * them, or it is still to ship.
 */
export function countRemoved({
  orderStatus,
  orderQuantity,
  shippedQuantity = 0,
  refundedQuantity = 0,
}: Order): number {
  const unshipped = orderQuantity - shippedQuantity;
  return orderStatus === 'sipping' ? unshipped : Math.min(unshipped, refundedQuantity);
}

/** How many pieces of a paid order are left to ship. */
export const countLeft = (order: Order): number =>
  order.orderQuantity - (order.shippedQuantity ?? 0) - countRemoved(order);

/** A paid order that is not refunded in full and has pieces that are neither shipped nor refunded; pending refunds count. */
export const isToShip = (order: Order): boolean =>
  order.orderStatus === 'paid' && order.refunded < order.price && countLeft(order) > 0;
