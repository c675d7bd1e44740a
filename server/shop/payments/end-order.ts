import { ShopError } from '../../../contract/errors.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { writeAudit } from '../audit/audit.ts';
import { isPaid } from '../orders/orders.ts';
import { findOrder, lockOrder, type OrderRow } from '../orders/queries.ts';
import { returnStock } from '../products/products.ts';
import type { Shop } from '../shop.ts';
import { createIntent, findLastPayment, isRefusal } from './intents.ts';
import { type PaymentRow, settlePayment } from './settle.ts';

/**
 * Ends an unpaid order: deletes it or marks it as expired. The stock is returned only after the provider has confirmed
 * that the open payment is cancelled. Throws 409 if the order has been paid meanwhile or a payment is processing, and
 * 503 if the provider is unreachable; in both cases nothing changes.
 */
export async function endUnpaidOrder(
  shop: Shop,
  id: string,
  action: 'delete' | 'expire',
  actor?: SessionUser,
): Promise<void> {
  // A payment page may open another payment after the cancellation: cancel that one too.
  for (let attempt = 0; attempt < 5; attempt++) {
    if (action === 'expire' && !isOverdue(await findOrder(shop.database.db, id))) return;
    const payment = await findLastPayment(shop.database.db, id);
    if (payment?.state === 'open') await cancelPayment(shop, payment);
    const ended = await shop.database.transaction(async (tx) => {
      const order = await lockOrder(tx, id);
      if (!order) throw new ShopError('not_found', 'There is no such order.');
      if (isPaid(order)) throw new ShopError('already_paid', 'This order is paid: it cannot be deleted.');
      if ((await findLastPayment(tx, id))?.state === 'open') return false;
      if (action === 'expire' && !isOverdue(order)) return false;
      if (order.status === '') await returnStock(tx, order.product_id, order.quantity);
      if (action === 'delete') await tx.deleteFrom('orders').where('id', '=', id).execute();
      else await tx.updateTable('orders').set({ status: 'expired' }).where('id', '=', id).execute();
      if (actor && actor.email !== order.email)
        await writeAudit(tx, { who: actor.email, what: 'deleteOrder', of: id, name: order.product_name });
      return true;
    });
    if (!ended) continue;
    shop.countEvent(action === 'delete' ? 'order deleted' : 'order expired');
    return shop.invalidateCache();
  }
  throw new ShopError('conflict', 'This order is being paid in another window. Close that and try again.');
}

/** False if the order has been paid, or reopened after it expired. */
function isOverdue(order: OrderRow | undefined): boolean {
  return order?.status === '' && order.hold_until <= Date.now();
}

async function cancelPayment(shop: Shop, payment: PaymentRow): Promise<void> {
  // Without an intent id, the provider's response was lost: the same idempotency key returns the same intent.
  const id = payment.intent ?? (await createIntent(shop, payment).catch(ignoreRefusal))?.id;
  if (!id) return;
  const intent = await shop.provider.cancelIntent(id);
  if (intent.status === 'processing')
    throw new ShopError('payment_processing', 'A payment for this order is processing: wait for its result.');
  await settlePayment(shop, payment, intent);
}

/** If the provider refuses to create an intent, there is nothing to cancel. */
function ignoreRefusal(error: unknown): undefined {
  if (!isRefusal(error)) throw error;
}
