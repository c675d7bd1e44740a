import { uuidv7 } from 'uuidv7';
import { formatQuantity } from '../../../contract/admin/health-format.ts';
import { ShopError } from '../../../contract/errors.ts';
import type { Tx } from '../../database/schema.ts';
import { findProduct } from '../products/products.ts';
import { adjustStock } from '../products/stock/stock.ts';
import type { Shop } from '../shop.ts';
import type { OrderRow } from './queries.ts';

/**
 * Takes `count` pieces that these refunds of an order have returned to stock out of it again, because the customer gets them
 * after all. Returns false, and changes nothing, if some have been sold in the meantime.
 */
export async function takeBackStock(
  shop: Shop,
  tx: Tx,
  { id: orderId, product_id: productId }: Pick<OrderRow, 'id' | 'product_id'>,
  refunds: readonly { id: string; restock: number }[],
  count: number,
): Promise<boolean> {
  const change = { id: uuidv7(), productId, change: -count, orderId };
  if (!(await adjustStock(shop, tx, change, { reason: 'restock_undone' }))) return false;
  await tx
    .updateTable('orders')
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
 * Before an order is shipped: takes the pieces out of stock again that a failed refund has returned. Returns how many. Throws 409
 * if some have been sold since.
 */
export async function takeShippedStock(
  shop: Shop,
  tx: Tx,
  order: Pick<OrderRow, 'id' | 'product_id' | 'restocked' | 'refunded_quantity'>,
): Promise<number> {
  const count = Math.max(0, order.restocked - order.refunded_quantity);
  if (count === 0) return 0;
  const refunds = await tx
    .selectFrom('refund')
    .select(['id', 'restock'])
    .where('order_id', '=', order.id)
    .where('status', 'in', ['failed', 'canceled'])
    .execute();
  if (await takeBackStock(shop, tx, order, refunds, count)) return count;
  // A deleted product has no stock.
  if (!(await findProduct(tx, order.product_id))) return 0;
  const [are, they] = count === 1 ? ['has', 'it'] : ['have', 'them'];
  const detail = `${formatQuantity(count, 'piece')} of this order went back to stock and ${are} been sold since: record a delivery before you ship ${they}, or refund ${they}.`;
  throw new ShopError('out_of_stock', detail);
}
