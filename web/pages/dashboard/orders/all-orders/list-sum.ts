import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { createMoney } from '../../../../../contract/money.ts';
import type { OrderSums } from '../../../../../contract/orders/order-list.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { OrderQuery } from './order-query.ts';

/**
 * A sum such as "3 tools in 2 orders: $60.00". Each row is one tool. The tools of a purchase are one order for its customer, and
 * one parcel to ship.
 */
export function describeSums(
  { of, isComplete, sums }: OrderSums,
  { status }: OrderQuery,
  money: Pick<ReturnType<typeof createMoney>, 'table'>,
): string {
  if (!isComplete) return 'More orders than can be summed at once';
  const nouns = { orders: status === 'paid' ? 'parcel' : 'order', refunds: 'refund', disputes: 'dispute' };
  return sums
    .map(({ currency, count, tools, amount }) => {
      const counted = formatQuantity(count, nouns[of]);
      const all = tools === undefined ? counted : `${formatQuantity(tools, 'tool')} in ${counted}`;
      return `${all}: ${money.table(amount, currency)}`;
    })
    .join(' · ');
}

/** A count such as "3 tools in 2 orders". Each row is one tool; the tools of a purchase are one order for its customer. */
export function countTools(rows: readonly Order[]): string {
  const orderCount = new Set(rows.map(({ purchase }) => purchase)).size;
  return `${formatQuantity(rows.length, 'tool')} in ${formatQuantity(orderCount, 'order')}`;
}
