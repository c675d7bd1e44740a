import { lockOrder } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';
import type { Intent } from './provider.ts';
import { claimSuccess, movePayment, type PaymentRow } from './queries.ts';
import { refund } from './refund.ts';

/**
 * Brings a payment and its order to what the provider says: the only way to "paid". `intent` is fresh from
 * the provider. Saying it twice, at once or out of order, is harmless: the order takes one success, by one
 * conditional statement; every other success becomes `refund_due` and is refunded. True where the order
 * became paid by this.
 */
export async function settle(shop: Shop, payment: PaymentRow, intent: Intent): Promise<boolean> {
  if (intent.status === 'canceled') {
    const moved = await movePayment(shop.database.db, payment.id, ['open'], 'cancelled');
    if (moved) shop.count('payment cancelled');
    return false;
  }
  if (intent.status !== 'succeeded') return false;
  const exact =
    intent.amount_received === payment.amount && intent.currency.toUpperCase() === payment.currency;

  const state = await shop.database.transaction(async (tx) => {
    // Another success of this order waits here until this one is decided.
    const order = await lockOrder(tx, payment.order_id);
    // Money that was given back, or is about to be, pays for nothing any more.
    if (!(await claimSuccess(tx, payment.id, intent.id))) return undefined;
    const { numUpdatedRows } = exact
      ? await tx
          .updateTable('orders')
          .set({ status: 'paid', transaction_id: intent.id })
          .where('id', '=', payment.order_id)
          .where('status', '=', '')
          .where('total', '=', payment.amount)
          .where('currency', '=', payment.currency)
          .executeTakeFirst()
      : { numUpdatedRows: 0n };
    if (numUpdatedRows !== 1n && order?.transaction_id !== intent.id) return 'refund_due';
    await movePayment(tx, payment.id, ['refund_due'], 'paid');
    return 'paid';
  });

  if (state) shop.count(state === 'paid' ? 'payment paid' : 'payment refund due');
  if (state === 'paid') {
    shop.happened('paid');
    shop.log.info({ order: payment.order_id, intent: intent.id }, 'order paid');
  }
  if (state === 'refund_due') {
    shop.log.warn({ order: payment.order_id, intent: intent.id }, 'money without an order to pay: refunding');
    await refund(shop, { ...payment, intent: intent.id, state: 'refund_due' }).catch((error: unknown) =>
      shop.log.warn({ intent: intent.id, error }, 'refund failed, the next look tries again'),
    );
  }
  return state === 'paid';
}
