import { randomUUID } from 'node:crypto';
import type { Product } from '../../contract/catalogue/products.ts';
import type { TestUser } from '../support/requests.ts';
import type { Fleet } from './fleet.ts';

/** Below the rate limit for ten minutes. */
const maxPaymentsPerUser = 25;

/**
 * Starts visitors who read pages and customers who order and pay, through the balancer, until `end()`. Each sends the
 * next request as soon as the last response arrives. `failed` lists all unexpected responses.
 */
export function startTraffic(fleet: Fleet, product: Product, people: TestUser[]) {
  const completed = { read: 0, ordered: 0, paid: 0 };
  const failed: string[] = [];
  let ended = false;

  async function repeat(action: () => Promise<void>): Promise<void> {
    while (!ended) {
      await action().catch((error: unknown) => {
        const cause = error instanceof Error ? error.cause : undefined;
        failed.push(`${error}${cause ? ` (${cause})` : ''}`);
      });
    }
  }

  async function readPage(path: string, person?: TestUser): Promise<void> {
    const response = await fleet.send(path, {}, person);
    const text = await response.text();
    if (response.status !== 200 || text === '') throw new Error(`${path}: ${response.status} ${text}`);
    completed.read += 1;
  }

  async function placeOrder(person: TestUser): Promise<string> {
    const { insertedId } = await fleet.client(person).call('placeOrder', {
      body: { orderId: product._id, orderQuantity: 1, price: product.price, user: person.email },
      idempotencyKey: randomUUID(),
    });
    completed.ordered += 1;
    return insertedId;
  }

  async function payOrder(person: TestUser, id: string): Promise<void> {
    const client = fleet.client(person);
    const { clientSecret } = await client.call('createPaymentIntent', {
      body: { price: product.price, order: id },
    });
    const intent = clientSecret.replace(/_secret_.*/, '');
    const form = { key: 'pk_test_cluster', client_secret: clientSecret, payment_method: 'pm_card_visa' };
    const confirmed = await fleet.send(`/sandbox/stripe/v1/payment_intents/${intent}/confirm`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    if (!confirmed.ok) throw new Error(`confirm: ${confirmed.status} ${await confirmed.text()}`);
    await client.call('markOrderPaid', {
      params: { id },
      body: { order: id, transactionId: intent, orderStatus: 'paid' },
    });
    completed.paid += 1;
  }

  async function orderAndPay(person: TestUser, payments: { left: number }): Promise<void> {
    const id = await placeOrder(person);
    await readPage('/dashboard/myOrder', person);
    if (payments.left-- > 0) await payOrder(person, id);
  }

  const running = [
    ...['/', '/api/reviews'].map((path) => repeat(() => readPage(path))),
    ...people.map((person) => {
      const payments = { left: maxPaymentsPerUser };
      return repeat(() => orderAndPay(person, payments));
    }),
  ];
  return {
    completed,
    failed,
    async end(): Promise<void> {
      ended = true;
      await Promise.all(running);
    },
  };
}
