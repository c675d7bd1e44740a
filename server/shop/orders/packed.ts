import type { Selectable } from 'kysely';
import type { Schema } from '../../database/schema.ts';
import type { OrderRow } from './queries.ts';

type Refund = Pick<
  Selectable<Schema['refund']>,
  'order_id' | 'status' | 'quantity' | 'restock' | 'created_at' | 'updated_at'
>;

/**
 * How many pieces of an order are to be packed or were shipped: all except those refunded before it was shipped. `refunds` may
 * include those of other orders.
 */
export function countPacked(order: OrderRow, refunds: readonly Refund[]): number {
  const { id, quantity, status, shipped_at } = order;
  const isShipped = status === 'sipping';
  // If the time was not recorded, the refunds may be later.
  const packedAt = isShipped ? (shipped_at ?? 0) : Number.POSITIVE_INFINITY;
  const refunded = refunds
    .filter((refund) => refund.order_id === id && refund.created_at < packedAt)
    // A refund that failed after the order was shipped had been left out of the parcel.
    .filter((refund) => isCounted(refund) || refund.updated_at >= packedAt)
    .reduce((sum, refund) => sum + (refund.quantity ?? refund.restock), 0);
  // An admin who ships an order whose pieces are all refunded ships all of them.
  return isShipped && refunded >= quantity ? quantity : quantity - refunded;
}

/** Pending and succeeded refunds count, failed and canceled ones do not. */
export const isCounted = ({ status }: Pick<Refund, 'status'>): boolean =>
  status === 'pending' || status === 'succeeded';
