import type { Shop } from '../shop.ts';
import { findPaymentByIntent, type PaymentRow, storeRefundStatus } from './queries.ts';

/**
 * Refunds a `refund_due` payment, or records the status of its refund; also for a `refunded` payment, since a refund can
 * fail after it has succeeded. Idempotent. A failed refund is not retried: the card does not accept the money, so it is
 * left to a person, and Health shows it.
 */
export async function refundPayment(shop: Shop, payment: PaymentRow): Promise<void> {
  // If another call has changed the row meanwhile, fetch again: an older status must not replace a newer one.
  for (let row: PaymentRow | undefined = payment, attempt = 0; row?.intent && attempt < 3; attempt++) {
    const { intent, state, refund_status: before } = row;
    if (state !== 'refund_due' && state !== 'refunded') return;
    const isNew = state === 'refund_due' && before === null;
    const status = await (isNew ? shop.provider.refund(intent) : shop.provider.getRefundStatus(intent));
    if (await storeRefundStatus(shop.database.db, row, status)) {
      if (status !== before && !(state === 'refunded' && status === 'succeeded'))
        logRefund(shop, intent, status);
      return;
    }
    row = await findPaymentByIntent(shop.database.db, intent);
  }
}

function logRefund(shop: Shop, intent: string, status: PaymentRow['refund_status']): void {
  if (status === 'pending') shop.log.info({ intent }, 'the refund is pending');
  else if (status === 'succeeded') {
    shop.countEvent('payment refunded');
    shop.log.info({ intent }, 'refunded');
  } else {
    shop.countEvent('payment refund failed');
    shop.log.error({ intent, status }, 'a refund failed: pay the customer back in another way');
  }
}
