import { randomUUID } from 'node:crypto';
import type { Product } from '../../contract/catalogue/products.ts';
import { ApiError, type Client } from '../../web/client/api/client.ts';
import { authenticate, createClientAt } from '../torture/requests.ts';

export type Line = { product: string; quantity: number };
export type PlacedPurchase = { email: string; key: string; lines: Line[]; orders: string[] };

/** A process of the shop. `isDown` is set before it is killed. */
export type ShopProcess = { origin: string; isDown: boolean };

export const userCount = 80;
export const basketsPerUser = 3;
export const linesPerBasket = 3;

/** One address per user, because sign-ups per address are limited. */
const addressOf = (user: number) => `10.0.1.${user}`;

/** Signs up the users and returns their tokens and emails. */
export async function signUpUsers(origin: string) {
  const users: { email: string; token: string; address: string }[] = [];
  for (let at = 0; at < userCount; at++) {
    const email = `user-${at}@example.com`;
    const credentials = { name: 'Tom Graham', email, password: 'anchor-escapement' };
    const address = addressOf(at);
    users.push({ email, address, token: await authenticate(origin, address, 'sign-up', credentials) });
  }
  return users;
}

/**
 * Starts users who order overlapping baskets of `products`, each user one basket at a time. If a process that is down
 * sends no response or a 503, the user retries the order with the same key at the next process, once `recovered`
 * resolves. `unexpected` lists every outcome but 201, 409 `out_of_stock` and these failures.
 */
export function startOrdering(
  users: Awaited<ReturnType<typeof signUpUsers>>,
  products: readonly Product[],
  processes: readonly ShopProcess[],
  recovered: Promise<unknown>,
) {
  const confirmed = new Map<string, PlacedPurchase>();
  const counts = { soldOut: 0, unanswered: 0 };
  const unexpected: string[] = [];

  async function orderBasket(email: string, clients: Client[], first: number, lines: Line[]): Promise<void> {
    const key = randomUUID();
    for (let at = first; ; at++) {
      const process = processes[at % processes.length];
      const client = clients[at % processes.length];
      if (!process || !client) throw new Error('There is no process.');
      const wasDown = process.isDown;
      try {
        const { insertedId, orders } = await placeLines(client, key, lines, products);
        if (confirmed.has(insertedId)) unexpected.push(`${insertedId} was confirmed for two keys`);
        confirmed.set(insertedId, { email, key, lines, orders });
        return;
      } catch (error) {
        const { status, type } = error instanceof ApiError ? error.problem : { status: 0, type: '' };
        if (type === 'urn:problem:out_of_stock') {
          counts.soldOut += 1;
          return;
        }
        // An interrupted response is not an `ApiError`.
        if (!(wasDown || process.isDown) || (status !== 0 && status !== 503)) {
          unexpected.push(`${process.origin}: ${status} ${type} ${error}`);
          return;
        }
      }
      counts.unanswered += 1;
      await recovered;
    }
  }

  const done = users.map(async ({ email, token, address }, user) => {
    const clients = processes.map(({ origin }) => createClientAt(origin, address, token));
    for (let basket = 0; basket < basketsPerUser; basket++)
      await orderBasket(email, clients, user, chooseLines(products, user + basket));
  });
  return { confirmed, counts, unexpected, done: Promise.all(done) };
}

/** One or two pieces of each of three neighbouring products, in ascending or descending order. */
function chooseLines(products: readonly Product[], at: number): Line[] {
  const steps = Array.from({ length: linesPerBasket }, (_, step) =>
    at % 2 ? step : linesPerBasket - 1 - step,
  );
  return steps.flatMap((step) => {
    const product = products[(at + step) % products.length];
    return product ? [{ product: product._id, quantity: 1 + (at % 2) }] : [];
  });
}

/** Orders lines of `products`, which all have the same price. */
export function placeLines(client: Client, key: string, lines: Line[], products: readonly Product[]) {
  const pieces = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  return client.call('placePurchase', {
    body: {
      lines: lines.map(({ product, quantity }) => ({ orderId: product, orderQuantity: quantity })),
      price: pieces * (products[0]?.price ?? 0),
    },
    idempotencyKey: key,
  });
}
