import type { Order } from '../../../../contract/orders/orders.ts';
import { isToShip } from '../../../../contract/orders/to-ship.ts';

/** How many pieces of a partly refunded order are left to pack, such as `2 to pack`; undefined for other orders. */
export function describeToPack(order: Order): string | undefined {
  const { orderQuantity, refundedQuantity = 0 } = order;
  return refundedQuantity > 0 && isToShip(order)
    ? `${orderQuantity - refundedQuantity}\u00a0to\u00a0pack`
    : undefined;
}
