import type { Order } from '../../../../../contract/orders/orders.ts';

/** Whether the bank has taken the money back. An inquiry, whose status starts with `warning`, takes none. */
export const isChargedBack = ({ disputes = [] }: Order): boolean =>
  disputes.some(({ status, isOpen }) => status === 'lost' || (isOpen && !status.startsWith('warning')));
