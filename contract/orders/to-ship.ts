import type { Order } from './orders.ts';

/** A paid order that is neither shipped nor refunded in full, in money or in pieces; pending refunds count. */
export const isToShip = ({
  orderStatus,
  refunded,
  price,
  orderQuantity,
  refundedQuantity = 0,
}: Order): boolean => orderStatus === 'paid' && refunded < price && refundedQuantity < orderQuantity;
