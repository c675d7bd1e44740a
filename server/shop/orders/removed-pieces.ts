import { sql } from 'kysely';
import type { Tx } from '../../database/schema.ts';
import { canBeSent, countLeft, type OrderRow } from './queries.ts';
import { isKept, isUnaccepted } from './refund-rows.ts';

/**
 * Counts pieces that an order no longer ships as removed by its refunds, the newest first, and each by no more than the pieces that
 * it is for. Those of an order refunded in full may be more: the newest refund removes the rest.
 */
export async function noteRemoved(tx: Tx, orderId: string, count: number): Promise<void> {
  if (count === 0) return;
  const lines = await tx
    .selectFrom('refund_line')
    .innerJoin('refund', 'refund.id', 'refund_line.refund_id')
    .select(['refund_line.id', 'quantity', 'removed'])
    .where('order_line_id', '=', orderId)
    .where(isKept)
    .orderBy('refund_line.id', 'desc')
    .execute();
  let left = count;
  const added = lines.map(({ quantity, removed }) => {
    const pieces = Math.max(0, Math.min(left, (quantity ?? 0) - removed));
    left -= pieces;
    return pieces;
  });
  for (const [index, { id }] of lines.entries()) {
    const pieces = (added[index] ?? 0) + (index === 0 ? left : 0);
    if (pieces === 0) continue;
    await tx
      .updateTable('refund_line')
      .set((eb) => ({ removed: eb('removed', '+', pieces) }))
      .where('id', '=', id)
      .execute();
  }
}

/**
 * Removes the unshipped pieces of an order that is refunded in full, unless they are sent all the same: nobody would ship them, and
 * they could not come back to stock. While the provider has not accepted one of its refunds, they stay: it may refuse it. The caller has
 * locked the purchase. Returns the order.
 */
export async function removeRest(tx: Tx, order: OrderRow): Promise<OrderRow> {
  if (order.status !== 'paid' || canBeSent(order) || countLeft(order) === 0) return order;
  const hasUnaccepted = sql<boolean>`exists (
    select 1 from refund_line where refund_line.order_line_id = order_line.id and ${isUnaccepted})`;
  const updated = await tx
    .updateTable('order_line')
    .set({
      status: sql`case when shipped > 0 then 'sipping' else status end`,
      removed: sql<number>`quantity - shipped`,
    })
    .where('id', '=', order.id)
    .where(sql<boolean>`not ${hasUnaccepted}`)
    .returningAll()
    .executeTakeFirst();
  if (!updated) return order;
  await noteRemoved(tx, order.id, updated.removed - order.removed);
  return { ...order, ...updated };
}
