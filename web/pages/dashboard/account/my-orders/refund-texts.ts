import type { createMoney } from '../../../../../contract/money.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { isRefundedUnshipped } from '../../../../../contract/orders/to-ship.ts';

type Refunds = Pick<Order, 'refunded' | 'refundPending' | 'currency'>;

/** An order's refunds for a list, such as `$7.50 refunded` and `$5.00 refund pending`. */
export function listRefundTexts(
  { refunded, refundPending = 0, currency }: Refunds,
  money: ReturnType<typeof createMoney>,
): string[] {
  const paidBack = Math.round((refunded - refundPending) * 100) / 100;
  return [
    ...(paidBack > 0 ? [`${money.table(paidBack, currency)} refunded`] : []),
    ...(refundPending > 0 ? [`${money.table(refundPending, currency)} refund pending`] : []),
  ];
}

export type RefundWord = 'refunded' | 'refund pending';

/** The status of an order that was refunded in full before it shipped. */
export function findRefundWord(order: Order): RefundWord | undefined {
  if (!isRefundedUnshipped(order)) return undefined;
  return order.refundPending ? 'refund pending' : 'refunded';
}
