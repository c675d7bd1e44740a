import type { Selectable } from 'kysely';
import type { Schema } from '../../database/schema.ts';
import type { OrderRow } from './queries.ts';

type Refund = Pick<
  Selectable<Schema['refund']>,
  'order_id' | 'status' | 'quantity' | 'restock' | 'created_at'
>;

/**
 * How many pieces of an order are to be packed or were shipped: all except those refunded before it was shipped. `refunds` may
 * include those of other orders.
 */
export function countPacked(order: OrderRow, refunds: readonly Refund[]): number {
  const { id, quantity, status, shipped_at } = order;
  const isShipped = status === 'sipping';
  // If the time was not recorded, the refunds may be later.
  const before = isShipped ? (shipped_at ?? 0) : Number.POSITIVE_INFINITY;
  const refunded = refunds
    .filter((refund) => refund.order_id === id && refund.created_at < before && isCounted(refund))
    .reduce((sum, refund) => sum + (refund.quantity ?? refund.restock), 0);
  // An admin who ships an order whose pieces are all refunded ships all of them.
  return isShipped && refunded >= quantity ? quantity : quantity - refunded;
}

const isCounted = ({ status }: Refund): boolean => status === 'pending' || status === 'succeeded';
