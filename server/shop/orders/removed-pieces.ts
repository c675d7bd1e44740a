import { sql } from 'kysely';
import type { Tx } from '../../database/schema.ts';
import { canBeSent, countLeft, type OrderRow } from './queries.ts';
import { isKept, isUnaccepted } from './refund-rows.ts';

/**
 * Records that refunds of an order removed `count` more pieces, which will not be shipped. The newest refund comes first, and each
 * refund removes at most as many pieces as it is for. More pieces, as after a refund in full, count for the newest refund.
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
 * Removes the unshipped pieces of an order that is refunded in full, unless they are to be shipped anyway. Otherwise nobody
 * would ship them, and they could not return to stock. They stay while the provider has not accepted one of the order's refunds,
 * because it may still refuse that refund. The caller has locked the purchase. Returns the order.
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
