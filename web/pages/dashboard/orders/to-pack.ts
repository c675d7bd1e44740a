import type { Order } from '../../../../contract/orders/orders.ts';
import { countLeft, isToShip } from '../../../../contract/orders/to-ship.ts';

/** How many pieces of a partly shipped or refunded order are left to pack, such as `2 to pack`; undefined for other orders. */
export function describeToPack(order: Order): string | undefined {
  const left = countLeft(order);
  return left < order.orderQuantity && isToShip(order) ? `${left}\u00a0to\u00a0pack` : undefined;
}
