import type { RefundRow } from '../../orders/refund-rows.ts';
import type { Shop } from '../../shop.ts';

/** Logs and counts a refund whose status has changed. */
export function reportRefund(shop: Shop, { id, purchase_id, status, failure }: RefundRow): void {
  const fields = { refund: id, purchase: purchase_id };
  if (status === 'succeeded') {
    shop.countEvent('order refunded');
    shop.log.info(fields, 'the refund of an order succeeded');
  } else if (status === 'failed') {
    shop.countEvent('order refund failed');
    // Only a warning: Health reports what is owed, and would count a logged error as another problem.
    shop.log.warn({ ...fields, failure }, 'the refund of an order failed');
  } else shop.log.info({ ...fields, status }, 'the status of a refund changed');
}
