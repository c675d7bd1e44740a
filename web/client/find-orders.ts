import type { Order } from '../../contract/orders/orders.ts';
import { parsePurchaseNumber } from '../../contract/orders/purchase-number.ts';
import type { Client } from './api/client.ts';

/** For an admin: the orders of the purchase whose complete number a search is. On an error, none: the search continues without them. */
export async function findOrders(client: Client, text: string): Promise<Order[]> {
  const number = parsePurchaseNumber(text);
  return number ? client.call('listAllOrders', { query: { q: number } }).catch(() => []) : [];
}
