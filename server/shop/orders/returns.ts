import { sql } from 'kysely';
import type { z } from 'zod';
import { formatQuantity } from '../../../contract/admin/health-format.ts';
import { notFound, ShopError } from '../../../contract/errors.ts';
import type { newReturn } from '../../../contract/orders/shipping.ts';
import type { Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import { addStock } from '../products/stock/stock.ts';
import type { Shop } from '../shop.ts';
import { lockPurchaseOrders, type OrderRow } from './queries.ts';
import { isUnaccepted } from './refund-rows.ts';
import { advanceVersion, requireVersion } from './version.ts';

/**
 * Returns pieces of an order to stock: pieces that have come back from the customer, or unshipped pieces that a refund has
 * removed. Returns the purchase's version. Throws 404 if the order is gone; 409 if it is unpaid, if the version is outdated, or if
 * fewer pieces can return to stock.
 */
export async function recordReturn(
  shop: Shop,
  { id, purchase_id }: Pick<OrderRow, 'id' | 'purchase_id'>,
  { version, quantity }: z.output<typeof newReturn>,
  actor: SessionUser,
): Promise<number> {
  const { database } = shop;
  const current = await database.transaction(async (tx) => {
    const orders = await lockPurchaseOrders(tx, database.engine, purchase_id);
    const order = orders.find((one) => one.id === id);
    if (!order) throw notFound('order');
    requireVersion(order.version, version);
    const { numUpdatedRows } = await tx
      .updateTable('order_line')
      .set((eb) => ({ returned: eb('returned', '+', quantity) }))
      .where('id', '=', id)
      .where(sql<boolean>`returned + ${quantity} <= removed + shipped - ${countUnaccepted}`)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw await explainRejection(tx, id);
    await addStock(shop, tx, [{ productId: order.product_id, quantity, orderId: id }], {
      reason: 'return',
      ...toActor(actor),
    });
    await writeAudit(tx, {
      ...toActor(actor),
      action: 'recordReturn',
      target: id,
      name: order.product_name,
      changes: { returned: [order.returned, order.returned + quantity] },
      quantity,
    });
    return advanceVersion(tx, purchase_id);
  });
  shop.invalidateCache();
  return current;
}

/**
 * In a query of `order_line`: the number of pieces removed by refunds that the provider has not accepted. If it accepts a refund,
 * that returns the pieces to stock; if it refuses, they can be shipped again.
 */
const countUnaccepted = sql<number>`(select coalesce(sum(refund_line.removed), 0) from refund_line
  where refund_line.order_line_id = order_line.id and ${isUnaccepted})`;

async function explainRejection(tx: Tx, orderId: string): Promise<ShopError> {
  const order = await tx
    .selectFrom('order_line')
    .innerJoin('purchase', 'purchase.id', 'order_line.purchase_id')
    .select(['transaction_id', sql<number>`removed + shipped - returned - ${countUnaccepted}`.as('left')])
    .where('order_line.id', '=', orderId)
    .executeTakeFirst();
  if (!order?.transaction_id)
    return new ShopError('not_paid', 'This order is not paid: delete it to return its stock.');
  const left = Number(order.left);
  const message = `At most ${formatQuantity(left, 'piece')} can be returned to stock: pieces that were shipped, or whose refund the provider has accepted, and that are not back in stock yet`;
  return new ShopError('conflict', `${message}.`, { errors: [{ field: 'quantity', message }] });
}
