import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';

/** Such as "3 tools in 2 orders": each row is one tool, and the tools of a purchase are one order to its customer. */
export function countTools(rows: readonly Order[]): string {
  const orderCount = new Set(rows.map(({ purchase }) => purchase)).size;
  return `${formatQuantity(rows.length, 'tool')} in ${formatQuantity(orderCount, 'order')}`;
}
