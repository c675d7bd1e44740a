import { inject } from 'vitest';
import { pixelPng, postImage } from '../support/image-upload.ts';
import type { TestShop } from '../support/shop.ts';
import { throwIfRejected } from '../support/shop-client.ts';
import { refundedEvent, sendEvent, succeededEvent } from '../support/stripe-event.ts';
import { attemptOften } from './attempt.ts';
import { connectTo, createLoad, type Load, pickOrder } from './load.ts';
import { callProvider } from './provider-actions.ts';

/* A load on shops in this process, which share a database and their `AUTH_SECRET`. */

export async function createLocalLoad(
  shops: readonly [TestShop, ...TestShop[]],
  options: { hasOutages?: boolean } = {},
): Promise<Load> {
  const [shop] = shops;
  const connect = connectTo(shops);
  const [ada, eve] = [await shop.admin(), await shop.admin()];
  const load = await createLoad({
    seed: inject('seed'),
    connect,
    admins: [ada, eve].map((admin) => connect('10.0.0.1').client(admin)),
    provider: { origin: shop.origin, secretKey: shop.stripe.secretKey, fetch: shop.stripe.fetch },
    ...options,
  });
  load.ledger.images.push(await postImage(shop, ada, pixelPng));
  return load;
}

const failures = ['unreachable', 'timeout-after-success', 500, 429] as const;

/** More actions of the provider and the bank, and the periodic work. */
export const createLocalActions = (shop: TestShop) => ({
  /** An event about any payment, whether true or not: the shop asks the provider. */
  async sendWebhook(load: Load): Promise<void> {
    const { random } = load;
    const [, order] = pickOrder(load, ({ intents }) => intents.size > 0) ?? [];
    const id = random.pick([...(order?.intents ?? [])]);
    if (!id) return;
    const cancelled = { id, object: 'payment_intent', status: 'canceled', metadata: {} };
    const event = random.pick([
      succeededEvent(id),
      succeededEvent(id, { type: 'payment_intent.canceled', data: { object: cancelled } }),
      refundedEvent(id),
    ]);
    await attemptOften(load, 'webhook', async () => throwIfRejected(await sendEvent(shop, event ?? {})));
  },

  /** The bank's later result of a refund: a pending one succeeds, and one that has succeeded may fail. */
  async decideRefund(load: Load): Promise<void> {
    const listed = await callProvider(load, '/refunds?limit=100');
    const refund = load.random.pick(listed?.data ?? []);
    if (refund) await shop.stripe.finish(refund.id);
  },

  async failRefundCalls({ random }: Load): Promise<void> {
    const call = random.pick(['POST /v1/refunds', 'GET /v1/refunds']) ?? '';
    shop.stripe.fail({ call, how: random.pick(failures) ?? 500, times: 1 + random.below(3) });
  },

  /** Runs the periodic work as if all payments and refunds had been requested long ago. */
  async doPeriodicWork(): Promise<void> {
    const { db } = shop.database;
    for (const table of ['payment', 'refund'] as const)
      await db.updateTable(table).set({ created_at: 0 }).execute();
    await shop.doPeriodicWork();
  },
});
