import { describe, expect, test } from 'vitest';
import type { Order } from '../../contract/orders/orders.ts';
import { engines } from '../support/database.ts';
import { liveSettings } from '../support/live-settings.ts';
import { changeOrders } from '../support/order-rows.ts';
import {
  confirmIntent,
  openPayment,
  placeOrder,
  placePurchase,
  readShopId,
  reportPaid,
  requestStripe,
} from '../support/payments.ts';
import { catchProblem } from '../support/problem.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { sendEvent, succeededEvent } from '../support/stripe-event.ts';

const endHold = (shop: TestShop, id: string) =>
  shop.database.db.updateTable('purchase').set({ hold_until: 1 }).where('id', '=', id).execute();

const readStock = async (shop: TestShop, id: string) =>
  (await shop.client().call('getProduct', { params: { id } })).a_quantity;

describe.each(engines)('on %s', (engine) => {
  test('an order below the minimum amount of the provider can be deleted, and its hold expires', async () => {
    await using shop = await startShop({ engine });
    const product = await shop.addProduct({ price: 0.5 });
    const person = await shop.signUp();
    const placed = [
      await placeOrder(shop, person, product),
      await placeOrder(shop, person, product),
    ] as const;
    // The total is below Stripe's minimum amount, as if the minimum had risen since.
    await changeOrders(shop, { total: 49 });
    const orders = [
      { ...placed[0], price: 0.49 },
      { ...placed[1], price: 0.49 },
    ] as const;
    for (const order of orders)
      expect(await catchProblem(openPayment(shop, person, order))).toMatchObject({ status: 402 });
    // As if the process had crashed before it created the payment intent.
    await shop.database.db
      .updateTable('payment')
      .set({ state: 'open' })
      .where('purchase_id', '=', orders[0]._id)
      .execute();

    const deleted = shop.client(person).call('deleteOrder', { params: { id: orders[0]._id } });
    expect(await deleted).toEqual({ deletedCount: 1 });
    await endHold(shop, orders[1]._id);
    await shop.doPeriodicWork();
    const params = { id: orders[1]._id };
    expect(await shop.client(person).call('getOrder', { params })).toMatchObject({ orderStatus: 'expired' });
    expect(await readStock(shop, product._id)).toBe(10);
  });

  test('a refunded payment cannot pay for an order', async () => {
    await using shop = await startShop({ engine });
    const product = await shop.addProduct();
    const person = await shop.signUp();
    const order = await placeOrder(shop, person, product);
    const intent = await openPayment(shop, person, order);
    // As after restoring a backup: the order has expired, but its intent can still be paid.
    const setStatus = (status: 'expired' | '') => changeOrders(shop, { status }, order._id);
    await setStatus('expired');
    await endHold(shop, order._id);
    await confirmIntent(shop, intent);
    await catchProblem(reportPaid(shop, person, order, intent));
    await shop.doPeriodicWork();
    const payment = await shop.database.db.selectFrom('payment').select('state').executeTakeFirstOrThrow();
    expect(payment.state).toBe('refunded');
    await setStatus('');
    expect(await catchProblem(reportPaid(shop, person, order, intent))).toMatchObject({ status: 409 });
    const params = { id: order._id };
    expect(await shop.client(person).call('getOrder', { params })).toMatchObject({ paid: false });
  });

  test('creating an intent, PATCH and DELETE share one limit where they call the provider', async () => {
    await using shop = await startShop({ engine, rateLimits: { intentsPerUser: 3 } });
    await shop.stripe.close();
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    const product = await shop.addProduct();
    const [paid, open, unopened] = [
      await placeOrder(shop, tom, product),
      await placeOrder(shop, tom, product),
      await placeOrder(shop, tom, product),
    ];
    const intent = await openPayment(shop, tom, paid);
    const other = await openPayment(shop, tom, open);
    await confirmIntent(shop, intent);
    expect(await reportPaid(shop, tom, paid, intent)).toMatchObject({ modifiedCount: 1 });
    const limited = { status: 429, type: 'urn:problem:too_many_attempts' };
    const remove = ({ _id: id }: Order) => shop.client(tom).call('deleteOrder', { params: { id } });
    expect(await catchProblem(reportPaid(shop, tom, open, other))).toMatchObject(limited);
    expect(await catchProblem(remove(open))).toMatchObject(limited);
    expect(await catchProblem(openPayment(shop, tom, open))).toMatchObject(limited);
    expect(await shop.client(tom).call('getOrder', { params: { id: open._id } })).toMatchObject({
      orderStatus: '',
    });
    // These don't call the provider.
    expect(await reportPaid(shop, tom, paid, intent)).toMatchObject({ modifiedCount: 0 });
    expect(await catchProblem(reportPaid(shop, tom, open, intent))).toMatchObject({
      type: 'urn:problem:payment_mismatch',
    });
    expect(await remove(unopened)).toEqual({ deletedCount: 1 });
    // Another person has a limit of their own.
    await openPayment(shop, ann, await placeOrder(shop, ann, product));
  });

  test('an admin deletes any number of unpaid orders with open payments', async () => {
    await using shop = await startShop({ engine, rateLimits: { intentsPerUser: 1 } });
    const admin = await shop.admin();
    const product = await shop.addProduct();
    for (const name of ['Tom', 'Ann']) {
      const person = await shop.signUp(name);
      const order = await placeOrder(shop, person, product);
      await openPayment(shop, person, order);
      const params = { id: order._id };
      expect(await shop.client(admin).call('deleteOrder', { params })).toEqual({ deletedCount: 1 });
    }
  });

  test('a signed event about a made-up or unpaid payment of this shop records nothing', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const shopId = await readShopId(shop);
    const create = (metadata: Record<string, string>) =>
      requestStripe(shop, 'POST', '/payment_intents', { amount: '700', currency: 'usd', ...metadata });
    const unpaid = await create({ 'metadata[shop]': shopId });
    const ofAnotherShop = await create({ 'metadata[shop]': 'shop_other' });
    await confirmIntent(shop, ofAnotherShop);
    const send = (id: string) => {
      const event = succeededEvent(id);
      const object = { ...event.data.object, metadata: { shop: shopId, order: 'x' } };
      return sendEvent(shop, { ...event, data: { object } });
    };
    for (const id of ['pi_made_up', unpaid.id, ofAnotherShop.id]) expect((await send(id)).status).toBe(200);
    expect(await db.selectFrom('unknown_payment').selectAll().execute()).toEqual([]);
    expect(shop.logged.map(({ msg }) => msg)).toContain(
      'an event names a payment or a dispute that the provider does not know',
    );
    // While the provider is unreachable, a 503 makes it send the event again.
    shop.stripe.fail({ call: 'GET /v1/payment_intents/:id', how: 'unreachable' });
    expect((await send('pi_made_up')).status).toBe(503);
  });

  test('an unknown payment is recorded by a later event if the provider first refuses to show it', async () => {
    await using shop = await startShop({ engine, allowErrorLogs: true });
    await shop.stripe.close();
    const { db } = shop.database;
    const lost = await requestStripe(shop, 'POST', '/payment_intents', {
      amount: '700',
      currency: 'usd',
      'metadata[shop]': await readShopId(shop),
    });
    await confirmIntent(shop, lost);
    const event = succeededEvent(lost.id);
    const object = { ...event.data.object, metadata: { shop: await readShopId(shop), order: 'x' } };
    const send = () => sendEvent(shop, { ...event, data: { object } });
    // Stripe resends an event until the status is 2xx.
    for (const [how, status] of [
      [403, 503],
      [400, 402],
    ] as const) {
      shop.stripe.fail({ call: 'GET /v1/payment_intents/:id', how });
      expect([how, (await send()).status]).toEqual([how, status]);
    }
    expect(await db.selectFrom('unknown_payment').selectAll().execute()).toEqual([]);
    expect((await send()).status).toBe(200);
    expect(await db.selectFrom('unknown_payment').selectAll().execute()).toMatchObject([{ intent: lost.id }]);
  });
});

test.each(engines)(
  'strangers cannot empty a live shop on %s, nor fill its stock history by placing and deleting orders',
  async (engine) => {
    await using provider = await startShop();
    const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'shop@shop.example' };
    await using shop = await startShop({ engine, settings: { ...liveSettings(provider), ...mail } });
    const products = await Promise.all(Array.from({ length: 19 }, () => shop.addProduct({ a_quantity: 8 })));
    const strangers = await Promise.all(Array.from({ length: 4 }, () => shop.signUp()));
    for (const stranger of strangers)
      await catchProblem(
        placePurchase(
          shop,
          stranger,
          products.map((product) => [product, 8]),
        ),
      );
    await Promise.allSettled(
      strangers.flatMap((stranger) => products.map((product) => placeOrder(shop, stranger, product, 3))),
    );
    for (const { _id } of products) expect(await readStock(shop, _id)).toBeGreaterThanOrEqual(4);

    const loop = await shop.signUpConfirmed('Eve');
    const [product] = products;
    if (!product) return expect.unreachable();
    let placed = 0;
    const placeAndDelete = async () => {
      const { _id: id } = await placeOrder(shop, loop, product);
      placed += 1;
      await shop.client(loop).call('deleteOrder', { params: { id } });
    };
    let problem: { status: number } | undefined;
    while (!problem && placed < 150)
      problem = await placeAndDelete().then(
        () => undefined,
        ({ problem: rejected }) => rejected,
      );
    expect(problem?.status).toBe(429);
    expect(placed).toBeLessThanOrEqual(100);
  },
);

test('the home page shows the stock that an expired order returns', async () => {
  await using shop = await startShop();
  const product = await shop.addProduct({ a_quantity: 1 });
  const readHome = async () => (await shop.fetch(new Request(`${shop.origin}/`))).text();
  const order = await placeOrder(shop, await shop.signUp(), product);
  expect(await readHome()).toContain('Sold out');
  await endHold(shop, order._id);
  await shop.doPeriodicWork();
  expect(await readHome()).not.toContain('Sold out');
});

test('a price alone never matches an order in another currency', async () => {
  await using shop = await startShop({ settings: { SHOP_CURRENCY: 'JPY' } });
  const product = await shop.addProduct({ price: 1250 });
  const person = await shop.signUp();
  const order = await placeOrder(shop, person, product);
  // The order was placed while the shop sold in dollars.
  await shop.database.db.updateTable('purchase').set({ currency: 'USD' }).execute();
  const alone = shop.client(person).call('createPaymentIntent', { body: { price: 1250 } });
  expect(await catchProblem(alone)).toMatchObject({ status: 409 });
  const named = { price: 12.5, order: order._id };
  expect(await shop.client(person).call('createPaymentIntent', { body: named })).toHaveProperty(
    'clientSecret',
  );
});
