import { lockOrder } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';
import type { Intent } from './provider.ts';
import { claimSuccess, type PaymentRow, updatePaymentState } from './queries.ts';
import { refundPayment } from './refund.ts';

/**
 * Updates a payment and its order to match `intent`, which was just fetched from the provider. This is the only way an
 * order becomes paid. Repeated, simultaneous and out-of-order calls are harmless: one conditional statement lets the
 * order accept one success, and every other success becomes `refund_due` and is refunded. Returns whether this call
 * made the order paid.
 */
export async function settlePayment(shop: Shop, payment: PaymentRow, intent: Intent): Promise<boolean> {
  if (intent.status === 'canceled') {
    const moved = await updatePaymentState(shop.database.db, payment.id, ['open'], 'cancelled');
    if (moved) shop.countEvent('payment cancelled');
    return false;
  }
  if (intent.status !== 'succeeded') return false;
  const exact =
    intent.amount_received === payment.amount && intent.currency.toUpperCase() === payment.currency;

  const state = await shop.database.transaction(async (tx) => {
    // Another success for this order waits for this lock.
    const order = await lockOrder(tx, payment.order_id);
    // A payment that has been or will be refunded cannot pay for an order.
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
    await updatePaymentState(tx, payment.id, ['refund_due'], 'paid');
    return 'paid';
  });

  if (state) shop.countEvent(state === 'paid' ? 'payment paid' : 'payment refund due');
  if (state === 'paid') {
    shop.recordTime('paid');
    shop.log.info({ order: payment.order_id, intent: intent.id }, 'order paid');
  }
  if (state === 'refund_due') {
    shop.log.warn(
      { order: payment.order_id, intent: intent.id },
      'a payment succeeded without an unpaid order; refunding it',
    );
    await refundPayment(shop, { ...payment, intent: intent.id, state: 'refund_due' }).catch(
      (error: unknown) =>
        shop.log.warn({ intent: intent.id, error }, 'the refund failed; the next reconciliation tries again'),
    );
  }
  return state === 'paid';
}
