import { describe, expect, test, vi } from 'vitest';
import type { Order } from '../../../contract/orders/orders.ts';
import {
  confirmIntent,
  openPayment,
  placeOrder,
  readShopId,
  reportPaid,
  requestStripe,
} from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

/*
 * Every call to the provider fails in every way. Each case recovers without an operator. `times` is how often the
 * provider's client tries while a person waits. In the periodic work, it tries once.
 */
const faults = [
  { how: 500, times: 2 },
  { how: 429, times: 1 },
  { how: 'unreachable', times: 2 },
  { how: 'timeout-after-success', times: 2 },
] as const;

const calls = {
  create: 'POST /v1/payment_intents',
  get: 'GET /v1/payment_intents/:id',
  cancel: 'POST /v1/payment_intents/:id/cancel',
  refund: 'POST /v1/refunds',
};

/** A customer with one order for two of ten pieces, in a shop without webhooks. */
async function openOrder() {
  const shop = await startShop();
  await shop.stripe.close();
  const person = await shop.signUp();
  const product = await shop.addProduct();
  const order = await placeOrder(shop, person, product, 2);
  const { db } = shop.database;
  return {
    shop,
    person,
    order,
    stock: async () => (await shop.client().call('getProduct', { params: { id: product._id } })).a_quantity,
    paymentStates: async () =>
      (await db.selectFrom('payment').select('state').orderBy('attempt').execute()).map(({ state }) => state),
    intentStates: async () =>
      (await requestStripe(shop, 'GET', '/payment_intents?limit=10')).data.map(({ status }) => status),
    endHold: () => db.updateTable('purchase').set({ hold_until: 1 }).execute(),
    [Symbol.asyncDispose]: shop.close,
  };
}

const orderOf = (shop: TestShop, person: TestUser, { _id: id }: Order) =>
  shop.client(person).call('getOrder', { params: { id } });

const unreachable = { status: 503, type: 'urn:problem:provider_unreachable' };

// These tests mostly wait: the provider's client pauses between retries.
vi.setConfig({ maxConcurrency: 10 });

describe.concurrent.each(faults)('the provider fails with $how', ({ how, times }) => {
  test('while creating the intent: a retry creates only one intent, which can be paid', async () => {
    await using opened = await openOrder();
    const { shop, person, order } = opened;
    shop.stripe.fail({ call: calls.create, how, times });
    expect(await catchProblem(openPayment(shop, person, order))).toMatchObject(unreachable);
    expect(await orderOf(shop, person, order)).toMatchObject({ orderStatus: '', paid: false });
    const intent = await openPayment(shop, person, order);
    expect(await opened.intentStates()).toHaveLength(1);
    await confirmIntent(shop, intent);
    await reportPaid(shop, person, order, intent);
    expect(await orderOf(shop, person, order)).toMatchObject({ paid: true, transactionId: intent.id });
  });

  test('while creating the intent, without a retry: the order expires and the intent is cancelled', async () => {
    await using opened = await openOrder();
    const { shop, person, order } = opened;
    shop.stripe.fail({ call: calls.create, how, times });
    expect(await catchProblem(openPayment(shop, person, order))).toMatchObject(unreachable);
    await opened.endHold();
    await shop.doPeriodicWork();
    expect(await orderOf(shop, person, order)).toMatchObject({ orderStatus: 'expired' });
    expect(await opened.stock()).toBe(10);
    expect(await opened.intentStates()).toEqual(['canceled']);
    expect(await opened.paymentStates()).toEqual(['cancelled']);
  });

  test('while PATCH fetches the intent: the reconciliation marks the order as paid', async () => {
    await using opened = await openOrder();
    const { shop, person, order } = opened;
    const intent = await openPayment(shop, person, order);
    await confirmIntent(shop, intent);
    shop.stripe.fail({ call: calls.get, how, times });
    expect(await catchProblem(reportPaid(shop, person, order, intent))).toMatchObject(unreachable);
    expect(await orderOf(shop, person, order)).toMatchObject({ paid: false });
    await shop.doPeriodicWork();
    expect(await orderOf(shop, person, order)).toMatchObject({ paid: true, transactionId: intent.id });
    expect(await reportPaid(shop, person, order, intent)).toMatchObject({ modifiedCount: 0 });
  });

  test('while deleting an order: nothing changes, and the order expires later', async () => {
    await using opened = await openOrder();
    const { shop, person, order } = opened;
    await openPayment(shop, person, order);
    shop.stripe.fail({ call: calls.cancel, how, times });
    const deleted = shop.client(person).call('deleteOrder', { params: { id: order._id } });
    expect(await catchProblem(deleted)).toMatchObject(unreachable);
    expect(await orderOf(shop, person, order)).toMatchObject({ orderStatus: '' });
    expect(await opened.stock()).toBe(8);
    await opened.endHold();
    await shop.doPeriodicWork();
    expect(await orderOf(shop, person, order)).toMatchObject({ orderStatus: 'expired' });
    expect(await opened.stock()).toBe(10);
    expect(await opened.intentStates()).toEqual(['canceled']);
  });

  test('while an order expires: its stock is held until the cancellation is confirmed', async () => {
    await using opened = await openOrder();
    const { shop, person, order } = opened;
    await openPayment(shop, person, order);
    await opened.endHold();
    shop.stripe.fail({ call: calls.cancel, how });
    await shop.doPeriodicWork();
    expect(await orderOf(shop, person, order)).toMatchObject({ orderStatus: '' });
    expect(await opened.stock()).toBe(8);
    await shop.doPeriodicWork();
    expect(await orderOf(shop, person, order)).toMatchObject({ orderStatus: 'expired' });
    expect(await opened.stock()).toBe(10);
  });

  test('while refunding: the reconciliation retries, and the payment is refunded once', async () => {
    await using opened = await openOrder();
    const { shop, person, order } = opened;
    const intent = await openPayment(shop, person, order);
    // As after a restore: the order is missing here, but its intent can still be paid.
    for (const table of ['order_line', 'purchase'] as const)
      await shop.database.db.deleteFrom(table).execute();
    await confirmIntent(shop, intent);
    shop.stripe.fail({ call: calls.refund, how });
    await shop.doPeriodicWork();
    expect(await opened.paymentStates()).toEqual(['refund_due']);
    await shop.doPeriodicWork();
    expect(await opened.paymentStates()).toEqual(['refunded']);
    expect((await requestStripe(shop, 'GET', '/refunds?limit=10')).data).toHaveLength(1);
  });
});

describe.concurrent('the provider replays a failure under its idempotency key', () => {
  test('without an intent, the next attempt has a new key and can be paid', async () => {
    await using opened = await openOrder();
    const { shop, person, order } = opened;
    shop.stripe.fail({ call: calls.create, how: 'stored-500' });
    expect(await catchProblem(openPayment(shop, person, order))).toMatchObject({ status: 402 });
    const intent = await openPayment(shop, person, order);
    expect(await opened.paymentStates()).toEqual(['cancelled', 'open']);
    await confirmIntent(shop, intent);
    await reportPaid(shop, person, order, intent);
    expect(await orderOf(shop, person, order)).toMatchObject({ paid: true, transactionId: intent.id });
  });

  test('without a retry, the order expires', async () => {
    await using opened = await openOrder();
    const { shop, person, order } = opened;
    shop.stripe.fail({ call: calls.create, how: 'unreachable', times: 2 });
    expect(await catchProblem(openPayment(shop, person, order))).toMatchObject(unreachable);
    shop.stripe.fail({ call: calls.create, how: 'stored-500' });
    await opened.endHold();
    // The second run gets the stored failure.
    await shop.doPeriodicWork();
    await shop.doPeriodicWork();
    expect(await orderOf(shop, person, order)).toMatchObject({ orderStatus: 'expired' });
    expect(await opened.stock()).toBe(10);
  });

  /** Creates an intent for the order at the provider only. */
  async function createUnknownIntent(
    { shop, order }: Awaited<ReturnType<typeof openOrder>>,
    amount = '2500',
  ) {
    const shopId = await readShopId(shop);
    return requestStripe(shop, 'POST', '/payment_intents', {
      amount,
      currency: 'usd',
      'metadata[shop]': shopId,
      'metadata[order]': order._id,
    });
  }

  test('an intent that was created despite the failure is found and paid', async () => {
    await using opened = await openOrder();
    const { shop, person, order } = opened;
    const created = await createUnknownIntent(opened);
    shop.stripe.fail({ call: calls.create, how: 'stored-500' });
    expect((await openPayment(shop, person, order)).id).toBe(created.id);
    expect(await opened.intentStates()).toHaveLength(1);
  });

  test('an earlier intent that is paid or has another amount is not used', async () => {
    await using opened = await openOrder();
    const { shop, person, order } = opened;
    const { db } = shop.database;
    const earlier = await createUnknownIntent(opened);
    await confirmIntent(shop, earlier);
    await requestStripe(shop, 'POST', '/refunds', { payment_intent: earlier.id });
    const row = { purchase_id: order._id, attempt: 1, intent: earlier.id, amount: 2500, currency: 'USD' };
    await db
      .insertInto('payment')
      .values({ id: '0', ...row, state: 'refunded', created_at: 1 })
      .execute();
    await createUnknownIntent(opened, '2499');
    shop.stripe.fail({ call: calls.create, how: 'stored-500' });
    expect(await catchProblem(openPayment(shop, person, order))).toMatchObject({ status: 402 });
    expect(await opened.paymentStates()).toEqual(['refunded', 'cancelled']);
    await shop.client(person).call('deleteOrder', { params: { id: order._id } });
    expect(await opened.stock()).toBe(10);
  });
});

describe.concurrent('the provider is slow', () => {
  test('to create an intent: meanwhile the shop serves other requests', async () => {
    await using opened = await openOrder();
    const { shop, person, order } = opened;
    const requested = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const meanwhile = () => {
      requested.resolve();
      return released.promise;
    };
    shop.stripe.fail({ call: calls.create, how: 'slow', meanwhile });
    const opening = openPayment(shop, person, order);
    await requested.promise;
    const other = await shop.signUp();
    const product = await shop.client().call('getProduct', { params: { id: order.orderId } });
    const otherOrder = await placeOrder(shop, other, product, 3);
    await shop.client(other).call('deleteOrder', { params: { id: otherOrder._id } });
    expect(await opened.stock()).toBe(8);
    released.resolve();
    const intent = await opening;
    await confirmIntent(shop, intent);
    await reportPaid(shop, person, order, intent);
    expect(await orderOf(shop, person, order)).toMatchObject({ paid: true });
  });

  test('to return an intent: a simultaneous PATCH and webhook record one payment', async () => {
    await using opened = await openOrder();
    const { shop, person, order } = opened;
    const intent = await openPayment(shop, person, order);
    await confirmIntent(shop, intent);
    const meanwhile = () => reportPaid(shop, person, order, intent);
    shop.stripe.fail({ call: calls.get, how: 'slow', meanwhile });
    expect(await reportPaid(shop, person, order, intent)).toMatchObject({ modifiedCount: 0 });
    expect(await opened.paymentStates()).toEqual(['paid']);
  });
});
