import type { Order } from '../../contract/orders/orders.ts';
import { parsePurchaseNumber } from '../../contract/orders/purchase-number.ts';
import type { Client } from './api/client.ts';

/**
 * Finds the orders of a purchase for an admin, if the text is the purchase's complete number. Returns none on an error, so that
 * the search continues without them.
 */
export async function findOrders(client: Client, text: string): Promise<Order[]> {
  const number = parsePurchaseNumber(text);
  return number ? client.call('listAllOrders', { query: { q: number } }).catch(() => []) : [];
}
