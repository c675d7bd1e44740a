import type { Shop } from '../../shop.ts';
import type { PaymentRow } from '../settle.ts';

/**
 * Refunds a payment or records the status of its refund, which can fail even after it has succeeded. Idempotent. A failed
 * refund is not retried: the card does not accept the money, so it is left to a person, and Health shows it.
 */
export async function refundPayment(shop: Shop, payment: PaymentRow): Promise<void> {
  const { db } = shop.database;
  const { id, intent } = payment;
  if (!intent) return;
  // If another call has changed the row in the meantime, fetch again: an older status must not replace a newer one.
  for (let row: PaymentRow | undefined = payment, attempt = 0; row && attempt < 3; attempt++) {
    const { state, refund_status: before } = row;
    if (state !== 'refund_due' && state !== 'refunded') return;
    const isNew = state === 'refund_due' && before === null;
    const status = await (isNew
      ? shop.provider.refundRemainder(intent)
      : shop.provider.getRefundStatus(intent));
    const { numUpdatedRows } = await db
      .updateTable('payment')
      .set({ state: status === 'succeeded' ? 'refunded' : 'refund_due', refund_status: status })
      .where('id', '=', id)
      .where('state', '=', state)
      .where('refund_status', before === null ? 'is' : '=', before)
      .executeTakeFirst();
    if (numUpdatedRows === 1n) {
      if (status !== before && !(state === 'refunded' && status === 'succeeded'))
        reportRefund(shop, intent, status);
      return;
    }
    row = await db.selectFrom('payment').selectAll().where('id', '=', id).executeTakeFirst();
  }
}

function reportRefund(shop: Shop, intent: string, status: PaymentRow['refund_status']): void {
  if (status === 'pending') shop.log.info({ intent }, 'the refund of a payment is pending');
  else if (status === 'succeeded') {
    shop.countEvent('payment refunded');
    shop.log.info({ intent }, 'a payment was refunded');
  } else {
    shop.countEvent('payment refund failed');
    shop.log.error({ intent, status }, 'the refund of a payment failed: pay the customer back another way');
  }
}
