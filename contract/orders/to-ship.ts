import type { Order } from './orders.ts';

/** A paid order that is neither shipped nor refunded in full; pending refunds count. The list's SQL has the same rule. */
export const isToShip = ({ orderStatus, refunded, price }: Order): boolean =>
  orderStatus === 'paid' && refunded < price;
