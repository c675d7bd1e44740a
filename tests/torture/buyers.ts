import { randomUUID } from 'node:crypto';
import type { Product } from '../../contract/products.ts';
import { ApiError, type Client } from '../../web/client/client.ts';
import type { Person } from '../support/ask.ts';

/**
 * So many buyers, in the name of one person, who order one piece after another for as long as `isOver` is false. An order
 * is sent until it is answered: the same key is the same order, even where the commit was in doubt.
 */
export function startBuyers(
  count: number,
  isOver: () => boolean,
  { client, person, product }: { client: Client; person: Person; product: Product },
) {
  /** The orders that were answered, and the problems (or what else was thrown) in place of the others. */
  const answered = new Set<string>();
  const refused: unknown[] = [];
  const body = { orderId: product._id, orderQuantity: 1, price: product.price, user: person.email };

  async function order(idempotencyKey: string): Promise<boolean> {
    try {
      answered.add((await client.call('placeOrder', { body, idempotencyKey })).insertedId);
      return true;
    } catch (error) {
      refused.push(error instanceof ApiError ? error.problem.type : error);
      return false;
    }
  }

  async function buy(): Promise<void> {
    while (!isOver()) {
      const key = randomUUID();
      for (let done = false; !done && !isOver(); ) done = await order(key);
    }
  }

  return { answered, refused, done: Promise.all(Array.from({ length: count }, buy)) };
}
