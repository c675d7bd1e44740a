import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import type { Purchase } from '../../contract/orders/purchases.ts';
import { ApiError } from '../../web/client/api/client.ts';
import { auditBooks, auditMoney, readBooks } from '../support/auditor.ts';
import { engines, makeTestDatabase } from '../support/database.ts';
import {
  buy,
  confirmIntent,
  openPurchasePayment,
  placeOrder,
  placePurchase,
  refundOrder,
  requestStripe,
} from '../support/payments.ts';
import { listDeskCalls } from '../support/refund-desk.ts';
import type { TestUser } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { refundedEvent, sendEvent, succeededEvent } from '../support/stripe-event.ts';
import { createRandom } from '../torture/random.ts';
import { deleteUser, lockProduct, sendWhileLocked } from './locked-requests.ts';

/** The texts of statements that PostgreSQL has aborted because of a deadlock; the shop retries their transactions. */
const deadlocks: unknown[] = [];

// All statements of a pool go through this method.
pg.Client.prototype.query = new Proxy(pg.Client.prototype.query, {
  apply(query, client: pg.Client, args: unknown[]) {
    const result: unknown = Reflect.apply(query, client, args);
    if (result instanceof Promise)
      result.catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === '40P01') deadlocks.push(args[0]);
      });
    return result;
  },
});

const stock = 300;
const stepCount = 500;
const workerCount = 60;
const cards = [
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_pendingRefund',
  'pm_card_refundFail',
  'pm_card_createDispute',
];

test.each(engines)(
  'on %s, hundreds of conflicting requests about the same purchases and products keep the books balanced',
  { timeout: 120_000 },
  async (engine) => {
    const random = createRandom(inject('seed'));
    const place = await makeTestDatabase(engine);
    const shops: TestShop[] = [];
    for (let at = 0; at < (engine === 'postgres' ? 3 : 1); at++) {
      const settings = {
        AUTH_SECRET: 'the same for all of the shops here',
        UNPAID_ORDERS_PER_PERSON: '1000',
      };
      const rateLimits = { intentsPerUser: 100_000, signUpsPerAddress: 100_000 };
      const shop = await startShop({ place, settings, rateLimits, allowErrorLogs: true });
      onTestFinished(shop.close);
      shops.push(shop);
    }
    const [first = expect.unreachable()] = shops;
    const pick = <T>(list: readonly T[]): T => random.pick(list) ?? expect.unreachable();
    const clientOf = (person: TestUser) => pick(shops).client(person);
    const admins = [await first.admin(), await first.admin()];
    const customers: TestUser[] = [];
    for (let at = 0; at < 8; at++) customers.push(await first.signUp());
    const products: Product[] = [];
    for (let at = 0; at < 5; at++) products.push(await first.addProduct({ a_quantity: stock }));
    const opening = new Map(products.map(({ _id }) => [_id, { stock }]));

    const purchases: { person: TestUser; purchase: Purchase; intents: string[] }[] = [];
    /** Most requests are about the same few purchases. */
    const pickPurchase = () => pick(purchases.slice(-8));
    const pickPaid = () => random.pick(purchases.filter(({ intents }) => intents.length > 0).slice(-12));

    const unexpected: string[] = [];
    const counts = new Map<string, number>();
    /** Sends several requests at once. Rejections that the load causes are expected. */
    const send = (name: string, times: number, request: () => Promise<unknown>) =>
      Promise.all(
        Array.from({ length: times }, async () => {
          const outcome = await request().then(
            (value) => (value instanceof Response ? `${value.status}` : 'ok'),
            (error: unknown) => (error instanceof ApiError ? `${error.problem.status}` : `${error}`),
          );
          // 422: a refund of all money, but not of all pieces.
          const isExpected =
            /^(ok|200|401|402|404|409)$/.test(outcome) || (name === 'refund' && outcome === '422');
          if (!isExpected) unexpected.push(`${name}: ${outcome}`);
          if (/^(ok|200)$/.test(outcome)) counts.set(name, (counts.get(name) ?? 0) + 1);
        }),
      );

    async function placeBasket(): Promise<void> {
      const person = pick(customers);
      const start = random.below(products.length);
      const lines = [0, 1, 2].map((at): [Product, number] => [
        products[(start + (random.chance(0.5) ? at : 5 - at)) % 5] ?? expect.unreachable(),
        1 + random.below(2),
      ]);
      const distinct = [...new Map(lines.map((line) => [line[0]._id, line])).values()];
      await send('place', 1, async () => {
        const purchase = await placePurchase(pick(shops), person, distinct);
        purchases.push({ person, purchase, intents: [] });
      });
    }

    async function pay(): Promise<void> {
      const entry = pickPurchase();
      const { person, purchase, intents } = entry;
      const known = intents.length;
      await send('open', 1 + random.below(2), async () => {
        const current = await clientOf(person).call('getPurchase', { params: { id: purchase._id } });
        intents.push((await openPurchasePayment(pick(shops), person, current)).id);
      });
      const id = intents[known];
      if (!id || random.chance(0.2)) return;
      await confirmIntent(pick(shops), { id }, pick(cards));
      const params = { id: pick(purchase.orders)._id };
      await send('report', 2, () =>
        clientOf(person).call('markOrderPaid', { params, body: { transactionId: id } }),
      );
    }

    async function sendWebhooks(): Promise<void> {
      const intent = random.pick(pickPaid()?.intents ?? []);
      if (!intent) return;
      const cancelled = { id: intent, object: 'payment_intent', status: 'canceled', metadata: {} };
      const events = [
        succeededEvent(intent),
        succeededEvent(intent, { type: 'payment_intent.canceled', data: { object: cancelled } }),
        refundedEvent(intent),
      ];
      await send('webhook', 3, () => sendEvent(pick(shops), pick(events)));
    }

    async function deleteOrder(): Promise<void> {
      const { person, purchase } = pickPurchase();
      const params = { id: pick(purchase.orders)._id };
      const actor = random.chance(0.2) ? pick(admins) : person;
      await send('delete', 2, () => clientOf(actor).call('deleteOrder', { params }));
    }

    async function refund(): Promise<void> {
      const order = random.pick(pickPaid()?.purchase.orders ?? []);
      if (!order) return;
      const amount = Math.round(order.price * pick([10, 25, 50])) / 100;
      const body = {
        reason: 'other',
        restock: random.below(2),
        ...(random.chance(0.7) ? { amount } : {}),
      } as const;
      const params = { id: order._id };
      await send('refund', 2, () =>
        refundOrder(clientOf(pick(admins)), { params, body, idempotencyKey: randomUUID() }),
      );
    }

    /** Two admins do the same about a purchase that they have just read. */
    async function workAtDesk(): Promise<void> {
      const id = pickPaid()?.purchase._id;
      if (id === undefined) return;
      const client = clientOf(pick(admins));
      const purchase = await client.call('getPurchase', { params: { id } }).catch(() => undefined);
      const call = purchase?.paid ? random.pick(listDeskCalls(client, purchase, random)) : undefined;
      if (call) await send(call.name, 2, () => call.send(randomUUID()));
    }

    /** The bank's later results: a refund that has succeeded fails, a dispute is lost. */
    async function decideAtBank(): Promise<void> {
      const [{ data: refunds }, { data: disputes }] = await Promise.all([
        requestStripe(first, 'GET', '/refunds?limit=100'),
        requestStripe(first, 'GET', '/disputes?limit=100'),
      ]);
      const refund = random.pick(refunds);
      if (refund) await first.stripe.finish(refund.id);
      const dispute = random.pick(disputes);
      const lost = { 'evidence[uncategorized_text]': 'losing_evidence' };
      if (dispute) await requestStripe(first, 'POST', `/disputes/${dispute.id}`, lost);
    }

    async function refundAtProvider(): Promise<void> {
      const payment_intent = random.pick(pickPaid()?.intents ?? []);
      if (payment_intent)
        await requestStripe(pick(shops), 'POST', '/refunds', {
          payment_intent,
          ...(random.chance(0.7) ? { amount: `${50 + random.below(300)}` } : {}),
        });
    }

    async function ship(): Promise<void> {
      const orders = pickPaid()?.purchase.orders ?? [];
      const shipOne = (id: string) =>
        send('ship', 2, () =>
          clientOf(pick(admins)).call('shipOrder', { params: { id }, body: { orderStatus: 'sipping' } }),
        );
      await Promise.all(orders.map(({ _id }) => shipOne(_id)));
    }

    async function changeProduct(): Promise<void> {
      const params = { id: pick(products)._id };
      const admin = clientOf(pick(admins));
      const adjust = send('adjust', 2, () =>
        admin.call('adjustStock', { params, body: { change: pick([-2, 3]), reason: 'delivery', note: '' } }),
      );
      await send('archive', 1, async () => {
        const { version } = await admin.call('getProduct', { params });
        await admin.call('editProduct', { params, body: { version, archived: true } });
        await admin.call('editProduct', { params, body: { version: version + 1, archived: false } });
      });
      await adjust;
    }

    async function deleteAccount(): Promise<void> {
      const successor = await first.signUp();
      const [person] = customers.splice(random.below(customers.length), 1, successor);
      if (!person) return;
      const { email, password } = person;
      await Promise.all([
        // Without the helper, which also reads the purchase: the account may be deleted by then.
        send('place before deletion', 2, () =>
          clientOf(person).call('placePurchase', {
            body: {
              lines: products.slice(0, 3).map(({ _id }) => ({ orderId: _id, orderQuantity: 1 })),
              price: 3 * 12.5,
            },
          }),
        ),
        send('delete account', 1, () =>
          clientOf(person).call('deleteUser', { params: { email }, body: { password } }),
        ),
      ]);
    }

    const steps = [
      placeBasket,
      placeBasket,
      pay,
      pay,
      pay,
      sendWebhooks,
      sendWebhooks,
      deleteOrder,
      refund,
      refund,
      refundAtProvider,
      ship,
      changeProduct,
      workAtDesk,
      workAtDesk,
      decideAtBank,
    ];
    for (let at = 0; at < 8; at++) await placeBasket();
    let left = stepCount;
    await Promise.all(
      Array.from({ length: workerCount }, async () => {
        for (; left > 0; left--) await (random.chance(0.03) ? deleteAccount() : pick(steps)());
      }),
    );

    expect(unexpected).toEqual([]);
    const errors = shops.flatMap(({ logged }) => logged.filter(({ level }) => level >= 50));
    expect(errors).toEqual([]);
    expect(deadlocks).toEqual([]);
    // Whether a purchase needs the other calls of the desk depends on the seed.
    expect([...counts.keys()]).toEqual(
      expect.arrayContaining([
        'adjust',
        'archive',
        'delete',
        'delete account',
        'open',
        'place',
        'place before deletion',
        'refund',
        'refund all',
        'report',
        'return',
        'ship',
        'webhook',
      ]),
    );
    expect(auditBooks(await readBooks(place), opening)).toEqual([]);
    // The bank decides on refunds, and the periodic work finishes what is open.
    const { db } = first.database;
    await vi.waitFor(
      async () => {
        for (const table of ['payment', 'refund'] as const)
          await db.updateTable(table).set({ created_at: 0 }).execute();
        for (const { id } of (await requestStripe(first, 'GET', '/refunds?limit=100')).data)
          await first.stripe.finish(id);
        await first.doPeriodicWork();
        expect(auditMoney(await readBooks(place))).toEqual([]);
      },
      { timeout: 30_000 },
    );
    expect(auditBooks(await readBooks(place), opening)).toEqual([]);
  },
);

test('a customer who orders while deleting their account causes no deadlock, without a limit on unpaid orders', async () => {
  await using shop = await startShop({ engine: 'postgres' });
  deadlocks.length = 0;
  const tom = await shop.signUp();
  const [product, other] = [await shop.addProduct(), await shop.addProduct()];
  await placeOrder(shop, tom, product);
  const place = () =>
    shop.client(tom).call('placePurchase', {
      body: { lines: [product, other].map(({ _id }) => ({ orderId: _id, orderQuantity: 1 })), price: 25 },
    });
  await sendWhileLocked(shop, lockProduct(product._id), [place, () => deleteUser(shop, tom)]);
  expect(deadlocks).toEqual([]);
  expect(await shop.database.db.selectFrom('order_line').select('id').execute()).toEqual([]);
});

test('an order that is refunded while its customer deletes the account causes no deadlock', async () => {
  await using shop = await startShop({ engine: 'postgres' });
  // A webhook about the refund would wait for the lock, too.
  await shop.stripe.close();
  deadlocks.length = 0;
  const [admin, tom, product] = [await shop.admin(), await shop.signUp(), await shop.addProduct()];
  const { order } = await buy(shop, tom, product);
  await placeOrder(shop, tom, product);
  const refund = () =>
    refundOrder(shop.client(admin), {
      params: { id: order._id },
      body: { reason: 'other', restock: 1 },
    });
  // The deletion changes the purchase's version: if it comes first, the admin tries again.
  const refundWithRetry = () => refund().catch(refund);
  await sendWhileLocked(shop, lockProduct(product._id), [() => deleteUser(shop, tom), refundWithRetry]);
  expect(deadlocks).toEqual([]);
  const { a_quantity } = await shop.client(admin).call('getProduct', { params: { id: product._id } });
  expect(a_quantity).toBe(10);
});
