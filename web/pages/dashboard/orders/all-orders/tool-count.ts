import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';

/** Such as "3 tools in 2 orders": each row is one tool, and the tools of a purchase are one order to its customer. */
export function countTools(rows: readonly Order[]): string {
  const orderCount = new Set(rows.map(({ purchase }) => purchase)).size;
  return `${formatQuantity(rows.length, 'tool')} in ${formatQuantity(orderCount, 'order')}`;
}

/** Such as "3 tools in 2 orders match". */
export function describeMatchingTools(rows: readonly Order[], hasMore: boolean): string {
  if (hasMore) return `The first matches: ${countTools(rows)}`;
  return `${countTools(rows)} ${rows.length === 1 ? 'matches' : 'match'}`;
}
