import type { Selectable } from 'kysely';
import type { Schema } from '../../database/schema.ts';
import type { OrderRow } from './queries.ts';

type Pieces = Pick<OrderRow, 'status' | 'quantity' | 'shipped' | 'refunded_quantity'>;

/** How many pieces of an order are not shipped because they were refunded first. */
export function countRemoved({ status, quantity, shipped, refunded_quantity }: Pieces): number {
  const unshipped = quantity - shipped;
  return status === 'sipping' ? unshipped : Math.min(unshipped, refunded_quantity);
}

/** How many pieces of a paid order are left to ship. */
export const countLeft = (order: Pieces): number => order.quantity - order.shipped - countRemoved(order);

/** Pending and succeeded refunds count, failed and canceled ones do not. */
export const isCounted = ({ status }: Pick<Selectable<Schema['refund']>, 'status'>): boolean =>
  status === 'pending' || status === 'succeeded';
