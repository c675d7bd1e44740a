import { expect, test } from 'vitest';
import { withDatabases } from '../../../tests/support/auditor.ts';
import { engines } from '../../../tests/support/database.ts';
import { expireCharged } from '../../../tests/support/late-payment.ts';
import { changeOrders } from '../../../tests/support/order-rows.ts';
import {
  confirmIntent,
  listIntentStates,
  openPayment,
  placeOrder,
  placePurchase,
  reportPaid,
  requestStripe,
} from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { refundedEvent, sendEvent, succeededEvent } from '../../../tests/support/stripe-event.ts';
import { claimDatabase } from '../../database/database.ts';
import { defaultRateLimits } from '../../http/rate-limit.ts';
import { createPasswordQueue } from '../../identity/password-attempts.ts';
import { openLog } from '../../operations/log.ts';
import { commandLine } from '../audit/actor.ts';
import { readShipping } from '../delivery/shipping.ts';
import { createProvider } from './provider.ts';
import { reconcileAccount } from './reconcile-account.ts';
import { readRestoredBackup, saveRestoredBackup } from './restored-backup.ts';

/** A shop without webhooks that has lost the row of a payment, and a function that reconciles its account. */
async function loseAPayment(testShop: TestShop) {
  const { stripe, database, config, origin } = testShop;
  await stripe.close();
  const tom = await testShop.signUp();
  const order = await placeOrder(testShop, tom, await testShop.addProduct());
  const intent = await openPayment(testShop, tom, order);
  await confirmIntent(testShop, intent);
  await database.db.deleteFrom('payment').execute();

  const keys = { secretKey: stripe.secretKey, publishableKey: stripe.publishableKey, webhookSecrets: [] };
  const provider = createProvider(
    { ...keys, apiUrl: `${origin}/sandbox/stripe`, jsUrl: origin },
    testShop.stripe.fetch,
    'person',
  );
  const shop = {
    config,
    database,
    log: openLog(),
    rateLimits: defaultRateLimits,
    secret: '',
    provider,
    backgroundProvider: provider,
    passwordQueue: createPasswordQueue(),
    id: await claimDatabase(database, 'sandbox'),
    currency: order.currency,
    sendsMail: false,
    checkImage: async () => undefined,
    invalidateCache: () => undefined,
    invalidateStock: () => undefined,
    readShownShipping: () => readShipping(database.db),
    recordTime: () => undefined,
    recordService: () => undefined,
    countEvent: () => undefined,
  };
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  const reconcile = () =>
    reconcileAccount(shop, { since: Date.now() - 3_600_000, apply: true, actor: commandLine, report });
  return { tom, order, intent, shopId: shop.id, reconcile, lines };
}

test.each(engines)(
  'on %s, two simultaneous reconciliations add a lost payment once, and don’t record it as unknown',
  async (engine) => {
    await using testShop = await startShop({ engine });
    const { db } = testShop.database;
    const { intent, reconcile } = await loseAPayment(testShop);
    // Settling the payment takes a call to the provider, which waits until both have found the payment missing.
    const bothAsk = Promise.withResolvers<void>();
    let asking = 0;
    const meanwhile = () => {
      asking += 1;
      if (asking === 2) bothAsk.resolve();
      return bothAsk.promise;
    };
    testShop.stripe.fail({ call: 'GET /v1/payment_intents/:id', how: 'slow', times: 2, meanwhile });
    expect(await Promise.all([reconcile(), reconcile()])).toEqual([
      { found: 1, left: 0 },
      { found: 1, left: 0 },
    ]);
    const payments = await db.selectFrom('payment').select(['intent', 'state']).execute();
    expect(payments).toEqual([{ intent: intent.id, state: 'paid' }]);
    expect(await db.selectFrom('unknown_payment').select('intent').execute()).toEqual([]);
    expect(await reconcile()).toEqual({ found: 0, left: 0 });
  },
);

test.each(engines)(
  'on %s, a payment that a webhook reports as unknown is no longer listed once a reconciliation has added it',
  async (engine) => {
    await using testShop = await startShop({ engine, allowErrorLogs: true });
    const { intent, shopId, reconcile } = await loseAPayment(testShop);
    const admin = testShop.client(await testShop.admin());
    const list = async () => [
      (await admin.call('listUnknownPayments', {})).map(({ _id }) => _id),
      (await admin.call('getHealth', {})).facts.payments.unknown,
    ];
    const event = succeededEvent(intent.id);
    const object = { ...event.data.object, metadata: { shop: shopId } };
    await sendEvent(testShop, { ...event, data: { object } });
    expect(await list()).toEqual([[intent.id], 1]);
    expect(await reconcile()).toEqual({ found: 1, left: 0 });
    expect(await list()).toEqual([[], 0]);
  },
);

/** Loses a payment that has succeeded, after which the customer opens another one, with its own intent. */
async function openAnotherPayment(testShop: TestShop) {
  const lost = await loseAPayment(testShop);
  // The provider forgets idempotency keys after a day.
  await withDatabases(testShop.config.database, ({ provider }) =>
    provider.deleteFrom('stripe_idempotency').execute(),
  );
  const open = await openPayment(testShop, lost.tom, lost.order);
  expect(open.id).not.toBe(lost.intent.id);
  const { db } = testShop.database;
  return {
    ...lost,
    open,
    listPayments: () => db.selectFrom('payment').select(['intent', 'state']).orderBy('attempt').execute(),
  };
}

test.each(engines)(
  'on %s, a reconciliation that adds a lost payment cancels the open payment of the same order',
  async (engine) => {
    await using testShop = await startShop({ engine });
    const { order, intent, open, reconcile, listPayments } = await openAnotherPayment(testShop);
    expect(await reconcile()).toEqual({ found: 1, left: 0 });
    expect(await listPayments()).toEqual([
      { intent: open.id, state: 'cancelled' },
      { intent: intent.id, state: 'paid' },
    ]);
    // The customer cannot pay a second time.
    expect(await listIntentStates(testShop, order)).toEqual(['succeeded', 'canceled']);
  },
);

test.each(engines)(
  'on %s, if the provider fails while a lost payment is added, the payment page marks its order as paid',
  async (engine) => {
    await using testShop = await startShop({ engine });
    const { tom, order, intent, reconcile, listPayments } = await openAnotherPayment(testShop);
    testShop.stripe.fail({ call: 'GET /v1/payment_intents/:id', how: 'unreachable', times: 2 });
    await expect(reconcile()).rejects.toMatchObject({ code: 'provider_unreachable' });
    expect(await catchProblem(openPayment(testShop, tom, order))).toMatchObject({
      type: 'urn:problem:already_paid',
    });
    expect((await listPayments()).at(-1)).toEqual({ intent: intent.id, state: 'paid' });
    expect(await reconcile()).toEqual({ found: 0, left: 0 });
  },
);

test.each(engines)('on %s, an order cannot be deleted while its lost payment is added', async (engine) => {
  await using testShop = await startShop({ engine });
  const { tom, order, intent, reconcile, listPayments } = await openAnotherPayment(testShop);
  let deletion: Promise<unknown> | undefined;
  testShop.stripe.fail({
    call: 'GET /v1/payment_intents/:id',
    how: 'slow',
    meanwhile: async () => {
      deletion = catchProblem(testShop.client(tom).call('deleteOrder', { params: { id: order._id } }));
      await deletion;
    },
  });
  expect(await reconcile()).toEqual({ found: 1, left: 0 });
  expect(await deletion).toMatchObject({ type: 'urn:problem:already_paid' });
  expect((await listPayments()).at(-1)).toEqual({ intent: intent.id, state: 'paid' });
});

test.each(engines)(
  'on %s, a lost payment is left to an admin while another payment of its order is processing',
  async (engine) => {
    await using testShop = await startShop({ engine, allowErrorLogs: true });
    const { intent, open, reconcile, listPayments } = await openAnotherPayment(testShop);
    testShop.stripe.fail({ call: 'POST /v1/payment_intents/:id/confirm', how: 'processing' });
    await confirmIntent(testShop, open);
    expect(await reconcile()).toEqual({ found: 1, left: 1 });
    expect(await listPayments()).toEqual([{ intent: open.id, state: 'open' }]);
    const unknown = await testShop.database.db.selectFrom('unknown_payment').select('intent').execute();
    expect(unknown).toEqual([{ intent: intent.id }]);
  },
);

test.each(engines)(
  'on %s, a refund made at the provider while its lost payment is added is recorded once, with or without its webhook',
  async (engine) => {
    for (const hasWebhook of [true, false]) {
      await using testShop = await startShop({ engine });
      const { tom, order, intent, reconcile } = await loseAPayment(testShop);
      testShop.stripe.fail({
        call: 'GET /v1/payment_intents/:id',
        how: 'slow',
        meanwhile: async () => {
          await requestStripe(testShop, 'POST', '/refunds', { payment_intent: intent.id, amount: '300' });
          if (hasWebhook) await sendEvent(testShop, refundedEvent(intent.id));
        },
      });
      await Promise.all([reconcile(), reconcile()]);
      expect(await testShop.client(tom).call('getOrder', { params: { id: order._id } })).toMatchObject({
        orderStatus: 'paid',
        refunded: 3,
      });
      expect(await testShop.database.db.selectFrom('refund').select('amount').execute()).toEqual([
        { amount: 300 },
      ]);
      expect(await reconcile()).toEqual({ found: 0, left: 0 });
    }
  },
);

test.each(engines)(
  'on %s, a payment with another shop’s id neither pays an order nor is recorded',
  async (engine) => {
    await using testShop = await startShop({ engine });
    const { tom, order, intent: own, reconcile } = await loseAPayment(testShop);
    await reconcile();
    const unpaid = await placeOrder(testShop, tom, await testShop.addProduct());
    const other = await requestStripe(testShop, 'POST', '/payment_intents', {
      amount: '1250',
      currency: 'usd',
      'metadata[shop]': 'shop_other',
      'metadata[order]': unpaid.purchase,
    });
    await confirmIntent(testShop, other);
    await requestStripe(testShop, 'POST', '/refunds', { payment_intent: other.id, amount: '100' });
    const event = succeededEvent(other.id);
    const metadata = { shop: 'shop_other', order: unpaid.purchase };
    await sendEvent(testShop, { ...event, data: { object: { ...event.data.object, metadata } } });
    await sendEvent(testShop, refundedEvent(other.id));
    expect(await reconcile()).toEqual({ found: 0, left: 0 });
    for (const intent of [other, own])
      expect(await catchProblem(reportPaid(testShop, tom, unpaid, intent))).toMatchObject({
        type: 'urn:problem:payment_mismatch',
      });
    const { db } = testShop.database;
    const orders = await db
      .selectFrom('order_line')
      .select(['id', 'status', 'refunded'])
      .orderBy('id')
      .execute();
    expect(orders).toEqual([
      { id: order._id, status: 'paid', refunded: 0 },
      { id: unpaid._id, status: '', refunded: 0 },
    ]);
    expect(await db.selectFrom('unknown_payment').select('intent').execute()).toEqual([]);
  },
);

test.each(engines)(
  'on %s, after a restore the periodic work first records the payments since the backup: until then, no hold ends',
  async (engine) => {
    await using testShop = await startShop({ engine, allowErrorLogs: true });
    const { tom, order, intent } = await loseAPayment(testShop);
    const { db } = testShop.database;
    const admin = testShop.client(await testShop.admin());
    const read = async () =>
      (await testShop.client(tom).call('getOrder', { params: { id: order._id } })).orderStatus;
    expect(await admin.call('getRestoredBackup', {})).toEqual({});
    const now = Date.now();
    await saveRestoredBackup(db, { made: now, restored: now, isReconciled: false });
    await db.updateTable('purchase').set({ hold_until: 0 }).execute();
    testShop.stripe.fail({ call: 'GET /v1/payment_intents', how: 500 });
    await testShop.doPeriodicWork();
    expect(await read()).toBe('');
    await testShop.doPeriodicWork();
    expect(await read()).toBe('paid');
    const [entry] = await admin.call('listAudit', {});
    expect(entry).toMatchObject({ actor: 'the shop', action: 'reconcile', name: intent.id });
    expect(await admin.call('getRestoredBackup', {})).toEqual({ madeAt: new Date(now).toISOString() });
    // The payments are recorded only once.
    expect(await readRestoredBackup(db)).toMatchObject({ isReconciled: true });
    await saveRestoredBackup(db, { made: now, restored: now - 15 * 86_400_000, isReconciled: true });
    expect(await admin.call('getRestoredBackup', {})).toEqual({});
  },
);

test.each(engines)('on %s, an admin settles a payment that is missing here', async (engine) => {
  await using testShop = await startShop({ engine, allowErrorLogs: true });
  const { tom, order, intent, reconcile } = await loseAPayment(testShop);
  const { db } = testShop.database;
  const admin = testShop.client(await testShop.admin());
  const settle = (outcome: 'paid' | 'refunded' | 'dismissed', id = intent.id) =>
    admin.call('settleUnknownPayment', { params: { id }, body: { outcome } });
  const list = () => admin.call('listUnknownPayments', {});
  const unknown = { amount: 1250, currency: 'USD', number: order.number, outcome: '' as const, seen_at: 1 };
  await db
    .insertInto('unknown_payment')
    .values({ ...unknown, intent: intent.id, purchase_id: order.purchase })
    .execute();
  expect(await list()).toMatchObject([
    { _id: intent.id, order: order.purchase, number: order.number, late: false },
  ]);
  expect(await settle('paid')).toEqual({ modifiedCount: 1 });
  expect(await testShop.client(tom).call('getOrder', { params: { id: order._id } })).toMatchObject({
    orderStatus: 'paid',
    transactionId: intent.id,
  });
  expect(await list()).toEqual([]);
  expect(await catchProblem(settle('refunded'))).toMatchObject({ status: 409, type: 'urn:problem:conflict' });
  expect(await catchProblem(settle('dismissed', 'pi_none'))).toMatchObject({ status: 404 });

  // A payment whose order is gone.
  const orphan = await placeOrder(testShop, tom, await testShop.addProduct());
  const lost = await openPayment(testShop, tom, orphan);
  await confirmIntent(testShop, lost);
  await db.deleteFrom('payment').where('intent', '=', lost.id).execute();
  await testShop.client(tom).call('deleteOrder', { params: { id: orphan._id } });
  await reconcile();
  expect(await list()).toMatchObject([{ _id: lost.id, number: orphan.number }]);
  expect(await catchProblem(settle('paid', lost.id))).toMatchObject({
    status: 409,
    type: 'urn:problem:conflict',
  });
  await settle('refunded', lost.id);
  const { data } = await requestStripe(testShop, 'GET', `/refunds?payment_intent=${lost.id}`);
  expect(data).toMatchObject([{ amount: 1250, status: 'succeeded' }]);
  // Settled payments do not come back.
  await reconcile();
  expect(await list()).toEqual([]);
  const entries = await admin.call('listAudit', {});
  expect(entries.filter(({ action }) => action === 'settlePayment')).toMatchObject([
    { name: lost.id, details: expect.stringMatching(/^outcome: refunded/) },
    { name: intent.id, details: expect.stringMatching(/^outcome: paid/) },
  ]);
});

test.each(engines)('on %s, an order whose hold has ended is paid by its lost payment', async (engine) => {
  await using testShop = await startShop({ engine });
  const { tom, order, reconcile } = await loseAPayment(testShop);
  await testShop.database.db.updateTable('purchase').set({ hold_until: 0 }).execute();
  expect(await reconcile()).toEqual({ found: 1, left: 0 });
  await testShop.doPeriodicWork();
  expect(await testShop.client(tom).call('getOrder', { params: { id: order._id } })).toMatchObject({
    orderStatus: 'paid',
  });
});

test.each(engines)(
  'on %s, of two lost payments of an order, the one that has not been refunded pays it',
  async (engine) => {
    await using testShop = await startShop({ engine, allowErrorLogs: true });
    const { tom, order, intent, open, reconcile } = await openAnotherPayment(testShop);
    await confirmIntent(testShop, open);
    await testShop.database.db.deleteFrom('payment').execute();
    await requestStripe(testShop, 'POST', '/refunds', { payment_intent: intent.id });
    // The refunded payment and its refund are left to an admin.
    expect(await reconcile()).toEqual({ found: 3, left: 2 });
    expect(await testShop.client(tom).call('getOrder', { params: { id: order._id } })).toMatchObject({
      orderStatus: 'paid',
      transactionId: open.id,
      refunded: 0,
    });
  },
);

test.each(engines)(
  'on %s, an order that expired in the meantime is paid by its lost payment, if it was charged in time and the stock is there',
  async (engine) => {
    await using testShop = await startShop({ engine, allowErrorLogs: true });
    const { tom, order, intent, reconcile } = await loseAPayment(testShop);
    const { db } = testShop.database;
    const product = await testShop.client().call('getProduct', { params: { id: order.orderId } });
    const inTime = [await expireCharged(testShop, tom, [[product, 2]], { isLost: true })];
    const late = await expireCharged(testShop, tom, [[product, 3]], { isLost: true });
    const large = await expireCharged(testShop, tom, [[product, 4]], { isLost: true });
    // This hold ended before the charge.
    await db.updateTable('purchase').set({ hold_until: 1 }).where('id', '=', late.purchase._id).execute();
    await placePurchase(testShop, await testShop.signUp(), [[product, 4]]);
    // Of ten pieces, one is paid by the first lost payment and four are held: three are left after the next.
    expect(await reconcile()).toEqual({ found: 4, left: 2 });
    const read = async ({ purchase: { _id: id } }: typeof late) =>
      (await testShop.client(tom).call('getPurchase', { params: { id } })).orders[0]?.orderStatus;
    expect(await Promise.all([...inTime, late, large].map(read))).toEqual(['paid', 'expired', 'expired']);
    const admin = testShop.client(await testShop.admin());
    const listed = await admin.call('listUnknownPayments', {});
    expect(new Map(listed.map((payment) => [payment._id, payment.late]))).toEqual(
      new Map([
        [late.intent.id, false],
        [large.intent.id, true],
      ]),
    );
    expect(await reconcile()).toEqual({ found: 1, left: 1 });
    const states = await db.selectFrom('payment').select(['intent', 'state']).execute();
    expect(new Map(states.map(({ intent: id, state }) => [id, state]))).toEqual(
      new Map([
        [intent.id, 'paid'],
        ...inTime.map((paid): [string, string] => [paid.intent.id, 'paid']),
        [large.intent.id, 'undecided'],
      ]),
    );
  },
);

test.each(engines)(
  'on %s, a known payment whose order no longer waits for it is reported as being refunded',
  async (engine) => {
    await using testShop = await startShop({ engine });
    const { order, intent, reconcile, lines } = await loseAPayment(testShop);
    const { db } = testShop.database;
    await changeOrders(testShop, { status: 'expired' });
    await db.updateTable('purchase').set({ hold_until: 1 }).execute();
    const row = { id: order.purchase, purchase_id: order.purchase, attempt: 1, intent: intent.id };
    await db
      .insertInto('payment')
      .values({ ...row, amount: 1250, currency: 'USD', state: 'cancelled', created_at: Date.now() })
      .execute();
    expect(await reconcile()).toEqual({ found: 1, left: 0 });
    expect(lines).toEqual([
      expect.stringMatching(/ is cancelled here: being refunded, because no unpaid order has this amount$/),
    ]);
    expect(await db.selectFrom('payment').select('state').execute()).toEqual([{ state: 'refunded' }]);
    expect(await reconcile()).toEqual({ found: 0, left: 0 });
  },
);
