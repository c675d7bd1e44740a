import { describe, expect, test } from 'vitest';
import type { Order } from '../../../contract/orders/orders.ts';
import { engines } from '../../../tests/support/database.ts';
import { changeOrders } from '../../../tests/support/order-rows.ts';
import {
  buy,
  confirmIntent,
  listIntentStates,
  openPayment,
  placeOrder,
  readShopId,
  reportPaid,
  requestStripe,
} from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { waitUntil } from '../../../tests/support/wait.ts';

const orderOf = (shop: TestShop, person: TestUser, { _id: id }: Order) =>
  shop.client(person).call('getOrder', { params: { id } });

const stockOf = async (shop: TestShop, id: string) =>
  (await shop.client().call('getProduct', { params: { id } })).a_quantity;

const paymentStates = async (shop: TestShop, { _id }: Order) =>
  (
    await shop.database.db
      .selectFrom('payment')
      .select('state')
      .where('purchase_id', '=', _id)
      .orderBy('attempt')
      .execute()
  ).map(({ state }) => state);

const endHold = (shop: TestShop, { _id }: Order) =>
  shop.database.db.updateTable('purchase').set({ hold_until: 1 }).where('id', '=', _id).execute();

const getIntent = 'GET /v1/payment_intents/:id';

describe.concurrent.each(engines)('payments on %s', (engine) => {
  test('an order has one intent however often its payment page is opened, and simultaneous PATCH requests pay it once', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const order = await placeOrder(shop, person, product, 2);
    const opened = await Promise.all(Array.from({ length: 4 }, () => openPayment(shop, person, order)));
    expect(new Set(opened.map(({ clientSecret }) => clientSecret)).size).toBe(1);
    const intent = opened[0] ?? expect.unreachable();
    const atStripe = await requestStripe(shop, 'GET', `/payment_intents/${intent.id}`);
    expect(atStripe).toMatchObject({
      amount: 2500,
      currency: 'usd',
      description: `Order ${order.number}`,
      metadata: { order: order._id, number: order.number },
      payment_method_types: ['card'],
    });

    await confirmIntent(shop, intent);
    const confirmed = await Promise.all(
      Array.from({ length: 5 }, () => reportPaid(shop, person, order, intent)),
    );
    // The webhook may have come first.
    expect(confirmed.reduce((sum, { modifiedCount }) => sum + modifiedCount, 0)).toBeLessThanOrEqual(1);
    expect(await reportPaid(shop, person, order, intent)).toMatchObject({ modifiedCount: 0 });
    const paid = await orderOf(shop, person, order);
    expect(paid).toMatchObject({ orderStatus: 'paid', paid: true, transactionId: intent.id });
    expect(paid).not.toHaveProperty('holdUntil');
    expect(await stockOf(shop, product._id)).toBe(8);
    expect(await catchProblem(openPayment(shop, person, order))).toMatchObject({
      status: 409,
      type: 'urn:problem:already_paid',
    });
    const deleted = shop.client(person).call('deleteOrder', { params: { id: order._id } });
    expect(await catchProblem(deleted)).toMatchObject({ status: 409 });
  });

  test('PATCH rejects a payment that is unconfirmed, declined, unknown or another order’s', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const stranger = await shop.signUp();
    const product = await shop.addProduct();
    const order = await placeOrder(shop, person, product);
    const intent = await openPayment(shop, person, order);
    expect(await catchProblem(reportPaid(shop, person, order, intent))).toMatchObject({
      status: 409,
      type: 'urn:problem:not_paid',
    });
    expect((await confirmIntent(shop, intent, 'pm_card_visa_chargeDeclined')).error?.code).toBe(
      'card_declined',
    );
    expect(await catchProblem(reportPaid(shop, person, order, intent))).toMatchObject({
      status: 409,
      type: 'urn:problem:not_paid',
    });
    expect(await catchProblem(reportPaid(shop, person, order, { id: 'pi_made_up' }))).toMatchObject({
      status: 409,
    });
    const other = await buy(shop, person, product);
    const reused = await catchProblem(reportPaid(shop, person, order, other.intent));
    expect(reused).toMatchObject({ status: 409, type: 'urn:problem:payment_mismatch' });
    const strangers = await buy(shop, stranger, product);
    expect(await catchProblem(reportPaid(shop, person, order, strangers.intent))).toMatchObject({
      status: 409,
    });
    expect(await catchProblem(reportPaid(shop, stranger, order, intent))).toMatchObject({ status: 404 });
    const body = { order: other.order._id, transactionId: intent.id };
    const elsewhere = shop.client(person).call('markOrderPaid', { params: { id: order._id }, body });
    expect(await catchProblem(elsewhere)).toMatchObject({ status: 422 });
    expect(await orderOf(shop, person, order)).toMatchObject({ paid: false, orderStatus: '' });
    // The same intent accepts another card after a declined one.
    expect((await openPayment(shop, person, order)).id).toBe(intent.id);
    await confirmIntent(shop, intent);
    await reportPaid(shop, person, order, intent);
    expect(await orderOf(shop, person, order)).toMatchObject({ paid: true });
  });

  test('create-payment-intent without an order finds the only unpaid order with that price, and rejects a wrong price', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const create = (body: { price: number; order?: string }, as = person) =>
      shop.client(as).call('createPaymentIntent', { body });
    expect(await catchProblem(create({ price: 12.5 }))).toMatchObject({ status: 409 });
    const order = await placeOrder(shop, person, product);
    const { clientSecret } = await create({ price: 12.5 });
    expect(await create({ price: 12.5, order: order._id })).toEqual({ clientSecret });
    expect(await catchProblem(create({ price: 0.5, order: order._id }))).toMatchObject({
      status: 409,
      data: { price: 12.5 },
    });
    await placeOrder(shop, person, product);
    expect(await catchProblem(create({ price: 12.5 }))).toMatchObject({ status: 409 });
    expect(await catchProblem(create({ price: 12.5, order: order._id }, await shop.signUp()))).toMatchObject({
      status: 404,
    });
    expect(await catchProblem(create({ price: 12.5, order: order._id }, await shop.admin()))).toMatchObject({
      status: 404,
    });
  });

  test('the webhook marks the order as paid if the browser does not', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const order = await placeOrder(shop, person, await shop.addProduct());
    await confirmIntent(shop, await openPayment(shop, person, order));
    await waitUntil(async () => expect(await orderOf(shop, person, order)).toMatchObject({ paid: true }));
  });

  test('the reconciliation marks the order as paid if the webhook does not', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const order = await placeOrder(shop, person, await shop.addProduct());
    const intent = await openPayment(shop, person, order);
    // The webhook cannot fetch the intent, so the provider resends the event, five minutes later.
    shop.stripe.setRetryPace('stripe');
    shop.stripe.fail({ call: getIntent, how: 'unreachable' });
    await confirmIntent(shop, intent);
    await waitUntil(async () =>
      expect(shop.logged.map(({ msg }) => msg).join()).toContain('The payment provider cannot be reached'),
    );
    expect(await orderOf(shop, person, order)).toMatchObject({ paid: false });
    await shop.doPeriodicWork();
    expect(await orderOf(shop, person, order)).toMatchObject({ paid: true });
  });

  test('an unreachable provider means 503 and no change; a lost response is recovered', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const order = await placeOrder(shop, person, product);
    shop.stripe.fail({ call: 'POST /v1/payment_intents', times: 2, how: 'unreachable' });
    expect(await catchProblem(openPayment(shop, person, order))).toMatchObject({ status: 503 });
    // The intent is created, but the response is lost twice: the next request returns the same intent.
    shop.stripe.fail({ call: 'POST /v1/payment_intents', times: 2, how: 'timeout-after-success' });
    expect(await catchProblem(openPayment(shop, person, order))).toMatchObject({ status: 503 });
    const intent = await openPayment(shop, person, order);
    const { data } = await requestStripe(shop, 'GET', '/payment_intents?limit=10');
    expect(data.map(({ id }) => id)).toEqual([intent.id]);

    shop.stripe.fail({ call: 'POST /v1/payment_intents/:id/cancel', times: 2, how: 'unreachable' });
    const deleteOrder = () => shop.client(person).call('deleteOrder', { params: { id: order._id } });
    expect(await catchProblem(deleteOrder())).toMatchObject({ status: 503 });
    expect(await orderOf(shop, person, order)).toMatchObject({ orderStatus: '' });
    expect(await stockOf(shop, product._id)).toBe(9);
    expect(await deleteOrder()).toEqual({ deletedCount: 1 });
    expect(await stockOf(shop, product._id)).toBe(10);
    expect((await requestStripe(shop, 'GET', `/payment_intents/${intent.id}`)).status).toBe('canceled');
  });

  test('deleting an order cancels its intent even if the provider’s response was lost', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const order = await placeOrder(shop, person, await shop.addProduct());
    shop.stripe.fail({ call: 'POST /v1/payment_intents', times: 2, how: 'timeout-after-success' });
    await catchProblem(openPayment(shop, person, order));
    await shop.client(person).call('deleteOrder', { params: { id: order._id } });
    const { data } = await requestStripe(shop, 'GET', '/payment_intents?limit=10');
    expect(data.map(({ status }) => status)).toEqual(['canceled']);
    expect(await paymentStates(shop, order)).toEqual(['cancelled']);
  });

  test('PATCH returns 404 if the order is deleted meanwhile', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const order = await placeOrder(shop, person, await shop.addProduct());
    const intent = await openPayment(shop, person, order);
    shop.stripe.fail({
      call: getIntent,
      how: 'slow',
      meanwhile: () => shop.client(person).call('deleteOrder', { params: { id: order._id } }),
    });
    expect(await catchProblem(reportPaid(shop, person, order, intent))).toMatchObject({ status: 404 });
  });

  test('DELETE returns 409 if the order is paid meanwhile', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const order = await placeOrder(shop, person, product);
    const intent = await openPayment(shop, person, order);
    shop.stripe.fail({
      call: 'POST /v1/payment_intents/:id/cancel',
      how: 'slow',
      meanwhile: () => confirmIntent(shop, intent),
    });
    const problem = await catchProblem(
      shop.client(person).call('deleteOrder', { params: { id: order._id } }),
    );
    expect(problem).toMatchObject({ status: 409, type: 'urn:problem:already_paid' });
    expect(await orderOf(shop, person, order)).toMatchObject({ paid: true, transactionId: intent.id });
    expect(await stockOf(shop, product._id)).toBe(9);
  });

  test('an order deleted while its intent is being created leaves only a cancelled intent', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const order = await placeOrder(shop, person, product);
    const deleting: Promise<unknown>[] = [];
    // The order is deleted while the provider creates the intent; the shop then cancels the intent.
    const meanwhile = async () =>
      void deleting.push(shop.client(person).call('deleteOrder', { params: { id: order._id } }));
    shop.stripe.fail({ call: 'POST /v1/payment_intents', how: 'slow', meanwhile });
    await openPayment(shop, person, order).catch(() => undefined);
    await Promise.all(deleting);
    expect(await catchProblem(orderOf(shop, person, order))).toMatchObject({ status: 404 });
    const { data } = await requestStripe(shop, 'GET', '/payment_intents?limit=10');
    expect(data.map(({ status }) => status)).toEqual(['canceled']);
    expect(await stockOf(shop, product._id)).toBe(10);
  });

  test('an ended hold cancels the intent and returns the stock, and the order can never be paid at its old price', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct({ a_quantity: 2 });
    const order = await placeOrder(shop, person, product, 2);
    const intent = await openPayment(shop, person, order);
    await endHold(shop, order);
    await shop.doPeriodicWork();
    expect(await orderOf(shop, person, order)).toMatchObject({ orderStatus: 'expired', paid: false });
    expect(await stockOf(shop, product._id)).toBe(2);
    expect((await requestStripe(shop, 'GET', `/payment_intents/${intent.id}`)).status).toBe('canceled');

    const edit = { params: { id: product._id }, body: { version: 1, price: 20 } };
    await shop.client(await shop.admin()).call('editProduct', edit);
    const { purchase, price } = order;
    for (const by of [{ order: order._id }, { purchase }, { purchase: order.number }])
      expect(
        await catchProblem(shop.client(person).call('createPaymentIntent', { body: { price, ...by } })),
      ).toMatchObject({ status: 409, type: 'urn:problem:order_expired' });
    expect(
      await catchProblem(shop.client(person).call('createPaymentIntent', { body: { price } })),
    ).toMatchObject({ status: 409, detail: 'You have no unpaid order with that price.' });
    expect(await catchProblem(reportPaid(shop, person, order, intent))).toMatchObject({ status: 409 });
    expect(await orderOf(shop, person, order)).toMatchObject({ orderStatus: 'expired', paid: false });
    expect(await stockOf(shop, product._id)).toBe(2);
    expect(await paymentStates(shop, order)).toEqual(['cancelled']);
    expect(await shop.client(person).call('orderAgain', { params: { id: purchase } })).toMatchObject({
      lines: [{ quantity: 2 }],
      price: 40,
    });
  });

  test('an order that expires while its payment is opened cannot be paid', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const order = await placeOrder(shop, person, await shop.addProduct());
    const meanwhile = () => changeOrders(shop, { status: 'expired' }, order._id);
    shop.stripe.fail({ call: 'POST /v1/payment_intents', how: 'slow', meanwhile });
    expect(await catchProblem(openPayment(shop, person, order))).toMatchObject({ status: 409 });
    expect(await listIntentStates(shop, order)).toEqual(['canceled']);
    expect(await paymentStates(shop, order)).toEqual(['cancelled']);
  });

  test('an order does not expire while the provider is unreachable or if it has been paid', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const order = await placeOrder(shop, person, product);
    const intent = await openPayment(shop, person, order);
    await endHold(shop, order);
    shop.stripe.fail({ call: getIntent, how: 500 });
    shop.stripe.fail({ call: 'POST /v1/payment_intents/:id/cancel', how: 500 });
    await shop.doPeriodicWork();
    expect(await orderOf(shop, person, order)).toMatchObject({ orderStatus: '' });
    expect(await stockOf(shop, product._id)).toBe(9);
    await confirmIntent(shop, intent);
    await shop.doPeriodicWork();
    expect(await orderOf(shop, person, order)).toMatchObject({ paid: true });
  });

  test('a second payment of an order and a payment of a deleted order are refunded', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const { order } = await buy(shop, person, product);
    const deleted = await placeOrder(shop, person, product);
    const [second, late] = await Promise.all(
      [order, deleted].map(async ({ _id }, index) => {
        // An intent that should have been cancelled.
        const { id } = await requestStripe(shop, 'POST', '/payment_intents', {
          amount: '1250',
          currency: 'usd',
        });
        const row = { purchase_id: _id, attempt: 9, amount: 1250, currency: 'USD', created_at: 1 };
        await db
          .insertInto('payment')
          .values({ ...row, id: `payment-${index}`, intent: id, state: 'open' })
          .execute();
        return id;
      }),
    );
    for (const table of ['order_line', 'purchase'] as const)
      await db.deleteFrom(table).where('id', '=', deleted._id).execute();
    shop.stripe.fail({ call: 'POST /v1/refunds', times: 3, how: 500 });
    for (const id of [second, late]) await confirmIntent(shop, { id: id ?? '' });
    await shop.doPeriodicWork();
    await waitUntil(async () => {
      await shop.doPeriodicWork();
      const payments = await db.selectFrom('payment').select('state').where('attempt', '=', 9).execute();
      expect(payments.map(({ state }) => state)).toEqual(['refunded', 'refunded']);
    });
    for (const id of [second, late]) {
      const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${id}`);
      expect(data.length).toBe(1);
    }
    expect((await orderOf(shop, person, order)).transactionId).not.toBe(second);
    // The sums of refunds do not include these automatic refunds.
    const refunds = await db.selectFrom('refund').select(['reason', 'amount', 'status']).execute();
    const automatic = { reason: 'automatic', amount: 1250, status: 'succeeded' };
    expect(refunds).toEqual([automatic, automatic]);
    const params = { id: order.purchase };
    expect(await shop.client(person).call('getPurchase', { params })).toMatchObject({ refunded: 0 });
    const { total } = await shop.client(await shop.admin()).call('getOverview', { query: {} });
    expect(total).toMatchObject({ orders: 1, refunded: 0, refunds: 0 });
  });

  /** Pays for a deleted order, which causes a refund. */
  async function payDeletedOrder(shop: TestShop, card: string) {
    const person = await shop.signUp();
    const order = await placeOrder(shop, person, await shop.addProduct());
    const intent = await openPayment(shop, person, order);
    for (const table of ['order_line', 'purchase'] as const)
      await shop.database.db.deleteFrom(table).where('id', '=', order._id).execute();
    await confirmIntent(shop, intent, card);
    const state = async () => {
      const { db } = shop.database;
      const [row, ...others] = await db
        .selectFrom('payment')
        .innerJoin('refund', 'refund.payment_id', 'payment.id')
        .select(['state', 'reason', 'refund.amount', 'status'])
        .where('payment.purchase_id', '=', order._id)
        .execute();
      expect({ row, others }).toMatchObject({ row: { reason: 'automatic', amount: 1250 }, others: [] });
      return { state: row?.state, status: row?.status };
    };
    const refunds = async () =>
      (await requestStripe(shop, 'GET', `/refunds?payment_intent=${intent.id}`)).data.map(({ id }) => id);
    return { intent, state, refunds };
  }

  const health = async (shop: TestShop) => {
    const { facts, troubles } = await shop.client(await shop.admin()).call('getHealth', {});
    const { refundsDue, refundsPending, refundsFailed } = facts.payments;
    const messages = troubles.map((trouble) => trouble.what).filter((text) => text.includes('refund'));
    return { refunds: [refundsDue, refundsPending, refundsFailed], messages };
  };

  test.each([
    ['a webhook', true],
    ['the reconciliation', false],
  ])(
    'a pending refund is recorded as refunded once %s reports that it has succeeded',
    async (_, webhooks) => {
      await using shop = await startShop({ engine });
      if (!webhooks) await shop.stripe.close();
      const { state, refunds } = await payDeletedOrder(shop, 'pm_card_pendingRefund');
      await shop.doPeriodicWork();
      await waitUntil(async () => expect(await state()).toEqual({ state: 'refund_due', status: 'pending' }));
      expect(await health(shop)).toEqual({ refunds: [0, 1, 0], messages: [] });
      await shop.doPeriodicWork();
      const [refund, ...more] = await refunds();
      expect(more).toEqual([]);
      await shop.stripe.finish(refund ?? '');
      if (!webhooks) await shop.doPeriodicWork();
      await waitUntil(async () => expect(await state()).toEqual({ state: 'refunded', status: 'succeeded' }));
      expect(await health(shop)).toEqual({ refunds: [0, 0, 0], messages: [] });
    },
  );

  test('a refund that fails after it has succeeded is a problem on Health until it is made by hand', async () => {
    await using shop = await startShop({ engine, allowErrorLogs: true });
    const { intent, state, refunds } = await payDeletedOrder(shop, 'pm_card_refundFail');
    await shop.doPeriodicWork();
    await waitUntil(async () => expect(await state()).toEqual({ state: 'refunded', status: 'succeeded' }));
    const [refund] = await refunds();
    await shop.stripe.finish(refund ?? '');
    await waitUntil(async () => expect(await state()).toEqual({ state: 'refund_due', status: 'failed' }));
    await shop.doPeriodicWork();
    expect(await refunds()).toEqual([refund]);
    expect(await health(shop)).toEqual({
      refunds: [0, 0, 1],
      messages: ['1 refund failed: the customer has not received the money.'],
    });
    // An operator makes the refund in Stripe's dashboard.
    await requestStripe(shop, 'POST', '/refunds', { payment_intent: intent.id });
    await waitUntil(async () => expect(await state()).toEqual({ state: 'refunded', status: 'succeeded' }));
    expect(await health(shop)).toEqual({ refunds: [0, 0, 0], messages: [] });
  });

  test('while a payment is processing, its order cannot be deleted or paid again, and does not expire', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const pay = async (card: string) => {
      const order = await placeOrder(shop, person, product);
      const intent = await openPayment(shop, person, order);
      shop.stripe.fail({ call: 'POST /v1/payment_intents/:id/confirm', how: 'processing' });
      expect((await confirmIntent(shop, intent, card)).status).toBe('processing');
      return { order, intent };
    };
    const remove = ({ _id: id }: Order) => shop.client(person).call('deleteOrder', { params: { id } });
    const paying = [await pay('pm_card_visa'), await pay('pm_card_visa_chargeDeclined')] as const;
    const processing = { status: 409, type: 'urn:problem:payment_processing' };
    for (const { order, intent } of paying) {
      expect(await catchProblem(remove(order))).toMatchObject(processing);
      expect(await catchProblem(openPayment(shop, person, order))).toMatchObject(processing);
      expect(await catchProblem(reportPaid(shop, person, order, intent))).toMatchObject({ status: 409 });
      await endHold(shop, order);
    }
    await shop.doPeriodicWork();
    for (const { order } of paying)
      expect(await orderOf(shop, person, order)).toMatchObject({ orderStatus: '', paid: false });
    expect(await stockOf(shop, product._id)).toBe(8);
    const [succeeds, fails] = paying;
    for (const { intent } of paying) await shop.stripe.finish(intent.id);
    await waitUntil(async () =>
      expect(await orderOf(shop, person, succeeds.order)).toMatchObject({ orderStatus: 'paid' }),
    );
    expect(await remove(fails.order)).toEqual({ deletedCount: 1 });
    expect(await stockOf(shop, product._id)).toBe(9);
  });

  test('an intent whose amount is not the order’s never pays the order', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const order = await placeOrder(shop, person, await shop.addProduct());
    const { id } = await requestStripe(shop, 'POST', '/payment_intents', { amount: '1249', currency: 'usd' });
    const row = { purchase_id: order._id, attempt: 1, amount: 1250, currency: 'USD', created_at: 1 };
    await shop.database.db
      .insertInto('payment')
      .values({ ...row, id: 'payment-1', intent: id, state: 'open' })
      .execute();
    await confirmIntent(shop, { id });
    const rejected = await catchProblem(reportPaid(shop, person, order, { id }));
    expect(rejected).toMatchObject({ status: 409, detail: expect.stringContaining('is being refunded') });
    await waitUntil(async () => expect(await paymentStates(shop, order)).toEqual(['refunded']));
    expect(await orderOf(shop, person, order)).toMatchObject({ paid: false });
  });

  test('another shop’s intent on the account is ignored; an unknown intent of ours is recorded', async () => {
    await using shop = await startShop({ engine, allowErrorLogs: true });
    const { db } = shop.database;
    const ours = await readShopId(shop);
    const create = (metadata: Record<string, string>) =>
      requestStripe(shop, 'POST', '/payment_intents', { amount: '700', currency: 'usd', ...metadata });
    const foreign = await create({ 'metadata[shop]': 'shop_other' });
    const lost = await create({ 'metadata[shop]': ours, 'metadata[order]': 'before-the-restore' });
    await confirmIntent(shop, foreign);
    await confirmIntent(shop, lost);
    await waitUntil(async () =>
      expect(await db.selectFrom('unknown_payment').selectAll().execute()).toMatchObject([
        { intent: lost.id, amount: 700, currency: 'USD', purchase_id: 'before-the-restore' },
      ]),
    );
    const seen = await shop.client(await shop.admin()).call('listUnknownPayments', {});
    expect(seen).toMatchObject([{ _id: lost.id, price: 7, currency: 'USD', order: 'before-the-restore' }]);
    await shop.doPeriodicWork();
    const { data } = await requestStripe(shop, 'GET', '/refunds?limit=10');
    expect(data).toEqual([]);
  });

  test('the reconciliation recovers an intent whose response was lost', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const person = await shop.signUp();
    const order = await placeOrder(shop, person, await shop.addProduct());
    shop.stripe.fail({ call: 'POST /v1/payment_intents', times: 2, how: 'timeout-after-success' });
    await catchProblem(openPayment(shop, person, order));
    await db
      .updateTable('payment')
      .set({ created_at: Date.now() - 61_000 })
      .execute();
    await shop.doPeriodicWork();
    const { data } = await requestStripe(shop, 'GET', '/payment_intents?limit=10');
    const { intent } = await db.selectFrom('payment').select('intent').executeTakeFirstOrThrow();
    expect(data.map(({ id }) => id)).toEqual([intent]);
  });

  test('an order whose hold is renewed during the reconciliation does not expire', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const [first, second] = [
      await placeOrder(shop, person, product),
      await placeOrder(shop, person, product),
    ];
    const opened = await openPayment(shop, person, first);
    const renewed = await openPayment(shop, person, second);
    await endHold(shop, first);
    await endHold(shop, second);
    // Both are overdue when the reconciliation lists them; the second is renewed while the first is cancelled.
    const holdUntil = Date.now() + 3_600_000;
    const meanwhile = () =>
      shop.database.db
        .updateTable('purchase')
        .set({ hold_until: holdUntil })
        .where('id', '=', second._id)
        .execute();
    shop.stripe.fail({ call: 'POST /v1/payment_intents/:id/cancel', how: 'slow', meanwhile });
    await shop.doPeriodicWork();
    expect((await requestStripe(shop, 'GET', `/payment_intents/${opened.id}`)).status).toBe('canceled');
    expect((await requestStripe(shop, 'GET', `/payment_intents/${renewed.id}`)).status).toBe(
      'requires_payment_method',
    );
    expect(await orderOf(shop, person, second)).toMatchObject({ orderStatus: '' });
  });

  test('create-payment-intent without an order ignores an expired one with the same price', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct();
    await endHold(shop, await placeOrder(shop, person, product));
    await shop.doPeriodicWork();
    const live = await placeOrder(shop, person, product);
    const { clientSecret } = await shop.client(person).call('createPaymentIntent', { body: { price: 12.5 } });
    expect(clientSecret).toBe((await openPayment(shop, person, live)).clientSecret);
  });
});
