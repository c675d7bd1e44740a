import type { RefundRow } from '../../orders/refund-rows.ts';
import type { Shop } from '../../shop.ts';

/** Logs and counts a refund whose status has changed. */
export function reportRefund(shop: Shop, { id, purchase_id, provider_id, status, failure }: RefundRow): void {
  const fields = { refund: id, purchase: purchase_id };
  if (status === 'succeeded') {
    shop.countEvent('order refunded');
    shop.log.info(fields, 'the refund of an order succeeded');
  } else if (status === 'failed') {
    shop.countEvent('order refund failed');
    // The admin who requested a refused refund sees that immediately. One that the bank returns days later needs attention.
    const level = provider_id === null ? 'warn' : 'error';
    shop.log[level]({ ...fields, failure }, 'the refund of an order failed');
  } else shop.log.info({ ...fields, status }, 'the status of a refund changed');
}
