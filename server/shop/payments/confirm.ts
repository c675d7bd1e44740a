import { ShopError } from '../../../contract/errors.ts';
import { isPaid } from '../orders/orders.ts';
import { findOrder, type OrderRow } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';
import { findPaymentByIntent } from './queries.ts';
import { settlePayment } from './settle.ts';

/**
 * Checks with the provider a client's claim that an order is paid. Returns 1, or 0 if the order was already paid with
 * this transaction. Throws 409 if the payment belongs to another order, has not succeeded or is being refunded, 404 if
 * the order has been deleted meanwhile, and 503 if the provider is unreachable.
 */
export async function confirmPayment(shop: Shop, order: OrderRow, transactionId: string): Promise<number> {
  if (isPaid(order)) {
    if (order.transaction_id === transactionId) return 0;
    throw new ShopError(
      'already_paid',
      'This order was paid by another payment. If this one was charged as well, it will be refunded.',
    );
  }
  const { db } = shop.database;
  const payment = await findPaymentByIntent(db, transactionId);
  if (payment?.order_id !== order.id) {
    throw new ShopError('payment_mismatch', 'That payment does not belong to this order.');
  }
  const becamePaid = await settlePayment(shop, payment, await shop.provider.getIntent(transactionId));
  const current = await findOrder(db, order.id);
  if (current?.transaction_id === transactionId) return becamePaid ? 1 : 0;
  const state = (await findPaymentByIntent(db, transactionId))?.state;
  const refundNote = state === 'refund_due' || state === 'refunded' ? 'This payment is being refunded.' : '';
  if (!current) throw new ShopError('not_found', `This order no longer exists. ${refundNote}`.trim());
  if (refundNote) throw new ShopError('conflict', `This payment could not pay the order. ${refundNote}`);
  throw new ShopError('not_paid', 'According to the payment provider, this payment has not succeeded.');
}
