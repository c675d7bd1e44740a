import { randomUUID } from 'node:crypto';
import type { Product } from '../../contract/catalogue/products.ts';
import { ApiError, type Client } from '../../web/client/api/client.ts';
import type { TestUser } from '../support/requests.ts';

/**
 * Starts `count` buyers, all signed in as `person`, who order one piece after another until `isOver`. Each retries an
 * order with the same idempotency key until it is confirmed, even if the commit was in doubt.
 */
export function startBuyers(
  count: number,
  isOver: () => boolean,
  { client, person, product }: { client: Client; person: TestUser; product: Product },
) {
  /** Ids of confirmed orders, and the problem types (or other errors) of rejected attempts. */
  const confirmed = new Set<string>();
  const rejected: unknown[] = [];
  const body = { orderId: product._id, orderQuantity: 1, price: product.price, user: person.email };

  async function order(idempotencyKey: string): Promise<boolean> {
    try {
      confirmed.add((await client.call('placeOrder', { body, idempotencyKey })).insertedId);
      return true;
    } catch (error) {
      rejected.push(error instanceof ApiError ? error.problem.type : error);
      return false;
    }
  }

  async function buy(): Promise<void> {
    while (!isOver()) {
      const key = randomUUID();
      for (let done = false; !done && !isOver(); ) done = await order(key);
    }
  }

  return { confirmed, rejected, done: Promise.all(Array.from({ length: count }, buy)) };
}
