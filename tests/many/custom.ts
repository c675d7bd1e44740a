import { randomUUID } from 'node:crypto';
import type { Product } from '../../contract/products.ts';
import type { Person } from '../support/ask.ts';
import type { Fleet } from './fleet.ts';

/** Whoever opens more payments in ten minutes is told to wait. */
const mostPayments = 25;

/**
 * Visitors read and customers order and pay, by the balancer, over connections that are kept, each as soon as the last
 * was answered. All that is not answered as it should be is noted.
 */
export function startCustom(fleet: Fleet, product: Product, people: Person[]) {
  const answered = { read: 0, ordered: 0, paid: 0 };
  const failed: string[] = [];
  let over = false;

  async function repeat(act: () => Promise<void>): Promise<void> {
    while (!over) {
      await act().catch((error: unknown) => {
        const cause = error instanceof Error ? error.cause : undefined;
        failed.push(`${error}${cause ? ` (${cause})` : ''}`);
      });
    }
  }

  async function read(path: string, person?: Person): Promise<void> {
    const answer = await fleet.send(path, {}, person);
    const text = await answer.text();
    if (answer.status !== 200 || text === '') throw new Error(`${path}: ${answer.status} ${text}`);
    answered.read += 1;
  }

  async function order(person: Person): Promise<string> {
    const { insertedId } = await fleet.client(person).call('placeOrder', {
      body: { orderId: product._id, orderQuantity: 1, price: product.price, user: person.email },
      idempotencyKey: randomUUID(),
    });
    answered.ordered += 1;
    return insertedId;
  }

  async function pay(person: Person, id: string): Promise<void> {
    const client = fleet.client(person);
    const { clientSecret } = await client.call('createPaymentIntent', {
      body: { price: product.price, order: id },
    });
    const intent = clientSecret.replace(/_secret_.*/, '');
    const form = { key: 'pk_test_many', client_secret: clientSecret, payment_method: 'pm_card_visa' };
    const confirmed = await fleet.send(`/sandbox/stripe/v1/payment_intents/${intent}/confirm`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    if (!confirmed.ok) throw new Error(`confirm: ${confirmed.status} ${await confirmed.text()}`);
    await client.call('markOrderPaid', {
      params: { id },
      body: { order: id, transactionId: intent, orderStatus: 'paid' },
    });
    answered.paid += 1;
  }

  async function buy(person: Person, payments: { left: number }): Promise<void> {
    const id = await order(person);
    await read('/dashboard/myOrder', person);
    if (payments.left-- > 0) await pay(person, id);
  }

  const custom = [
    ...['/', '/api/reviews'].map((path) => repeat(() => read(path))),
    ...people.map((person) => {
      const payments = { left: mostPayments };
      return repeat(() => buy(person, payments));
    }),
  ];
  return {
    answered,
    failed,
    async end(): Promise<void> {
      over = true;
      await Promise.all(custom);
    },
  };
}
