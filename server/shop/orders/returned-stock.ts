import { uuidv7 } from 'uuidv7';
import type { Tx } from '../../database/schema.ts';
import { adjustStock } from '../products/stock/stock.ts';
import type { Shop } from '../shop.ts';
import { isCounted } from './packed.ts';
import type { OrderRow } from './queries.ts';

/* The caller has locked the purchase. */

/**
 * Removes `count` pieces from stock that these refunds of an order had returned to it: the customer gets them after all. Returns
 * false, and changes nothing, if too few are left.
 */
export async function takeBackStock(
  shop: Shop,
  tx: Tx,
  { id: orderId, product_id: productId }: OrderRow,
  refunds: readonly { id: string; restock: number }[],
  count: number,
): Promise<boolean> {
  const change = { id: uuidv7(), productId, change: -count, orderId };
  if (!(await adjustStock(shop, tx, change, { reason: 'restock_undone' }))) return false;
  await tx
    .updateTable('order_line')
    .set((eb) => ({ restocked: eb('restocked', '-', count) }))
    .where('id', '=', orderId)
    .execute();
  let left = count;
  for (const { id, restock } of refunds) {
    const taken = Math.min(left, restock);
    left -= taken;
    if (taken > 0)
      await tx
        .updateTable('refund')
        .set((eb) => ({ restock: eb('restock', '-', taken) }))
        .where('id', '=', id)
        .execute();
  }
  return true;
}

/**
 * Removes the pieces from stock that an unshipped order still owes the customer, because refunds that returned them have failed.
 * Returns how many, or undefined if too few are left.
 */
export async function takeOwedStock(shop: Shop, tx: Tx, order: OrderRow): Promise<number | undefined> {
  const count = countOwed(order);
  if (count === 0) return 0;
  const refunds = await tx
    .selectFrom('refund')
    .select(['id', 'restock', 'status'])
    .where('order_id', '=', order.id)
    .execute();
  const failedFirst = refunds.toSorted((one, other) => Number(isCounted(one)) - Number(isCounted(other)));
  return (await takeBackStock(shop, tx, order, failedFirst, count)) ? count : undefined;
}

export const countOwed = ({ restocked, refunded_quantity }: OrderRow): number =>
  Math.max(0, restocked - refunded_quantity);
