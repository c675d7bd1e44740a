import { writeAudit } from '../audit/audit.ts';
import { ShopError } from '../errors.ts';
import type { Viewer } from '../identity/viewer.ts';
import { cancelPayment } from '../payments/cancel.ts';
import { findOpenPayment } from '../payments/queries.ts';
import { giveStockBack } from '../products/queries.ts';
import type { Shop } from '../shop.ts';
import { isPaid } from './orders.ts';
import { lockOrder, type OrderRow, selectOrder } from './queries.ts';

/**
 * Ends an unpaid order: deletes it, or marks it expired. Its payment is cancelled first, and the stock is
 * given back only when the provider has confirmed that. Throws 409 where it was paid meanwhile or a payment
 * is on its way, 503 where the provider is out of reach; then nothing has changed.
 */
export async function endUnpaidOrder(
  shop: Shop,
  id: string,
  how: 'delete' | 'expire',
  by?: Viewer,
): Promise<void> {
  // A payment page may open a new payment between the cancelling and the ending: then cancel that one too.
  for (let round = 0; round < 5; round++) {
    if (how === 'expire' && !isOverdue(await selectOrder(shop.database.db, id))) return;
    const payment = await findOpenPayment(shop.database.db, id);
    if (payment) await cancelPayment(shop, payment);
    const ended = await shop.database.transaction(async (tx) => {
      const order = await lockOrder(tx, id);
      if (!order) throw new ShopError('not_found', 'There is no such order.');
      if (isPaid(order)) throw new ShopError('already_paid', 'This order is paid: it cannot be deleted.');
      if (await findOpenPayment(tx, id)) return false;
      if (how === 'expire' && !isOverdue(order)) return undefined;
      if (order.status === '') await giveStockBack(tx, order.product_id, order.quantity);
      if (how === 'delete') await tx.deleteFrom('orders').where('id', '=', id).execute();
      else await tx.updateTable('orders').set({ status: 'expired' }).where('id', '=', id).execute();
      if (by && by.email !== order.email)
        await writeAudit(tx, { who: by.email, what: 'deleteOrder', of: id, name: order.product_name });
      return true;
    });
    if (ended === undefined) return;
    if (!ended) continue;
    shop.count(how === 'delete' ? 'order deleted' : 'order expired');
    return shop.changed();
  }
  throw new ShopError('conflict', 'This order is being paid in another window. Close that and try again.');
}

/** Somebody may have paid it meanwhile, or taken it again after it had expired. */
function isOverdue(order: OrderRow | undefined): boolean {
  return order?.status === '' && order.hold_until <= Date.now();
}
