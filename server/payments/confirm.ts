import { ShopError } from '../errors.ts';
import { isPaid } from '../orders/orders.ts';
import { type OrderRow, selectOrder } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';
import { findPaymentOfIntent } from './queries.ts';
import { settle } from './settle.ts';

/**
 * Takes a client's word that an order was paid, by asking the provider. 1 where it is paid by this, 0 where
 * it was paid with that transaction already. Throws 409 where that payment is not this order's, has not
 * succeeded or is being refunded, 404 where the order has gone meanwhile, 503 where the provider is out of
 * reach.
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
  const payment = await findPaymentOfIntent(db, transactionId);
  if (payment?.order_id !== order.id) {
    throw new ShopError('payment_mismatch', 'That payment does not belong to this order.');
  }
  const byThis = await settle(shop, payment, await shop.provider.getIntent(transactionId));
  const now = await selectOrder(db, order.id);
  if (now?.transaction_id === transactionId) return byThis ? 1 : 0;
  const state = (await findPaymentOfIntent(db, transactionId))?.state;
  const back = state === 'refund_due' || state === 'refunded' ? 'This payment is being refunded.' : '';
  if (!now) throw new ShopError('not_found', `There is no such order any more. ${back}`.trim());
  if (back) throw new ShopError('conflict', `This payment could not pay the order. ${back}`);
  throw new ShopError('not_paid', 'The payment provider says that this payment has not succeeded.');
}
