import { expect, onTestFinished, test } from 'vitest';
import { engines, makeDatabase } from '../../../tests/support/database.ts';
import {
  confirmIntent,
  openPayment,
  placeOrder,
  renameAtProvider,
  reportPaid,
  requestStripe,
} from '../../../tests/support/payments.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import {
  postEvent,
  refundedEvent,
  sendEvent,
  signEvent,
  succeededEvent,
} from '../../../tests/support/stripe-event.ts';

const now = () => Math.floor(Date.now() / 1000);

async function openOrder(shop: TestShop) {
  const person = await shop.signUp();
  const order = await placeOrder(shop, person, await shop.addProduct());
  return { person, order, intent: await openPayment(shop, person, order) };
}

const statusOf = async (shop: TestShop, { person, order }: Awaited<ReturnType<typeof openOrder>>) =>
  (await shop.client(person).call('getOrder', { params: { id: order._id } })).orderStatus;

test('a signed event that falsely reports a success changes nothing', async () => {
  await using shop = await startShop();
  const opened = await openOrder(shop);
  expect((await sendEvent(shop, succeededEvent(opened.intent.id))).status).toBe(200);
  expect(await statusOf(shop, opened)).toBe('');
});

test('forged, altered, unsigned and old events return 400 and change nothing', async () => {
  await using shop = await startShop();
  const opened = await openOrder(shop);
  const event = succeededEvent(opened.intent.id);
  const responses = [
    await sendEvent(shop, event, { secret: 'whsec_guessed' }),
    await sendEvent(shop, event, { change: ' ' }),
    await sendEvent(shop, event, { timestamp: Math.floor(Date.now() / 1000) - 301 }),
    await postEvent(shop, JSON.stringify(event)),
  ];
  expect(responses.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(responses[0]?.headers.get('content-type')).toBe('application/problem+json');
  expect(await statusOf(shop, opened)).toBe('');
});

test.each(engines)('an event that cannot be parsed returns 200 and is logged, on %s', async (engine) => {
  await using shop = await startShop({ engine });
  const intents = [{ id: 'pi_\0' }, { id: '' }, { id: 'pi_1', metadata: null }, null, []];
  const shapes = [...intents.map((object) => ({ object })), null, 'pi_1'];
  for (const data of shapes) {
    const sent = await sendEvent(shop, succeededEvent('', { data }));
    expect([data, sent.status]).toEqual([data, 200]);
  }
  const rows = await shop.database.db.selectFrom('unknown_payment').selectAll().execute();
  expect(rows).toEqual([]);
  const warnings = shop.logged.filter(({ msg }) => msg === 'a payment event could not be parsed');
  expect(warnings).toEqual(shapes.map(() => expect.objectContaining({ level: 40, event: 'evt_test' })));
});

test('duplicate events and a failure after the success are harmless', async () => {
  await using shop = await startShop();
  const opened = await openOrder(shop);
  await confirmIntent(shop, opened.intent, 'pm_card_visa_chargeDeclined');
  await confirmIntent(shop, opened.intent);
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => sendEvent(shop, succeededEvent(opened.intent.id))),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await sendEvent(shop, succeededEvent(opened.intent.id, { type: 'payment_intent.payment_failed' }));
  await sendEvent(shop, succeededEvent(opened.intent.id, { type: 'payment_intent.canceled' }));
  expect(await statusOf(shop, opened)).toBe('paid');
});

test('an event before the browser’s PATCH marks the order as paid, and the PATCH succeeds', async () => {
  await using shop = await startShop();
  await shop.stripe.close();
  const opened = await openOrder(shop);
  await confirmIntent(shop, opened.intent);
  expect((await sendEvent(shop, succeededEvent(opened.intent.id))).status).toBe(200);
  expect(await statusOf(shop, opened)).toBe('paid');
  expect(await reportPaid(shop, opened.person, opened.order, opened.intent)).toMatchObject({
    modifiedCount: 0,
  });
});

test('a replayed event changes nothing, and is rejected after five minutes', async () => {
  await using shop = await startShop();
  await shop.stripe.close();
  const opened = await openOrder(shop);
  await confirmIntent(shop, opened.intent);
  const payload = JSON.stringify(succeededEvent(opened.intent.id));
  const sentAt = (seconds: number) =>
    postEvent(shop, payload, signEvent(payload, shop.stripe.webhookSecret, now() - seconds));
  for (let count = 0; count < 2; count++) expect((await sentAt(290)).status).toBe(200);
  expect(await statusOf(shop, opened)).toBe('paid');
  const payments = await shop.database.db.selectFrom('payment').select('state').execute();
  expect(payments).toEqual([{ state: 'paid' }]);
  expect((await sentAt(301)).status).toBe(400);
});

test('late and out-of-order events do not change a settled order', async () => {
  await using shop = await startShop();
  await shop.stripe.close();
  const { db } = shop.database;
  const [paid, deleted] = [await openOrder(shop), await openOrder(shop)];
  await confirmIntent(shop, paid.intent);
  await shop.doPeriodicWork();
  await db.updateTable('order_line').set({ status: 'sipping' }).where('id', '=', paid.order._id).execute();
  await shop.client(deleted.person).call('deleteOrder', { params: { id: deleted.order._id } });
  // Like events that Stripe resends, these are signed now but were created earlier.
  const late = { created: now() - 20 * 3600 };
  const responses = [
    await sendEvent(shop, succeededEvent(paid.intent.id, { ...late, type: 'payment_intent.canceled' })),
    await sendEvent(shop, succeededEvent(paid.intent.id, late)),
    await sendEvent(shop, succeededEvent(paid.intent.id, { ...late, type: 'payment_intent.created' })),
    await sendEvent(shop, succeededEvent(deleted.intent.id, late)),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await statusOf(shop, paid)).toBe('sipping');
  const payments = await db.selectFrom('payment').select(['intent', 'state']).orderBy('id').execute();
  expect(payments).toEqual([
    { intent: paid.intent.id, state: 'paid' },
    { intent: deleted.intent.id, state: 'cancelled' },
  ]);
  expect((await requestStripe(shop, 'GET', '/refunds?limit=10')).data).toEqual([]);
});

test('both webhook secrets are valid while one is being replaced', async () => {
  const { place, drop } = await makeDatabase('sqlite');
  onTestFinished(drop);
  const open = (secrets: string) =>
    startShop({
      place,
      settings: {
        SHOP_CURRENCY: 'USD',
        STRIPE_SECRET_KEY: 'sk_test_1',
        STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
        STRIPE_WEBHOOK_SECRET: secrets,
        GOOGLE_SIGN_IN: 'off',
      },
    });
  // Another shop's intent, so the provider is not called.
  const event = succeededEvent('pi_of_another_shop');
  const statuses = async (secrets: string) => {
    await using shop = await open(secrets);
    const sent = ['whsec_old', 'whsec_new'].map((secret) => sendEvent(shop, event, { secret }));
    return (await Promise.all(sent)).map(({ status }) => status);
  };
  expect(await statuses('whsec_old')).toEqual([200, 400]);
  expect(await statuses('whsec_new, whsec_old')).toEqual([200, 200]);
  expect(await statuses('whsec_new')).toEqual([400, 200]);
});

test('a false refund event changes nothing, and a refund event for another shop’s payment is ignored', async () => {
  await using shop = await startShop();
  const opened = await openOrder(shop);
  await confirmIntent(shop, opened.intent);
  await expect.poll(() => statusOf(shop, opened)).toBe('paid');
  const types = ['refund.created', 'refund.updated', 'refund.failed', 'charge.refunded'];
  const events = [opened.intent.id, 'pi_of_another_shop', null].flatMap((payment_intent) =>
    types.map((type) => succeededEvent('', { type, data: { object: { id: 're_1', payment_intent } } })),
  );
  for (const event of events) expect((await sendEvent(shop, event)).status).toBe(200);
  const payments = shop.database.db.selectFrom('payment').select('state');
  expect(await payments.execute()).toEqual([{ state: 'paid' }]);
});

test('a refund made at the provider arrives with its event, even before the event of its payment', async () => {
  await using shop = await startShop();
  await shop.stripe.close();
  const opened = await openOrder(shop);
  await confirmIntent(shop, opened.intent);
  await requestStripe(shop, 'POST', '/refunds', { payment_intent: opened.intent.id, amount: '250' });
  const object = { id: 're_1', payment_intent: opened.intent.id };
  const event = succeededEvent('', { type: 'refund.created', data: { object } });
  for (let count = 0; count < 2; count++) expect((await sendEvent(shop, event)).status).toBe(200);
  const order = await shop.client(opened.person).call('getOrder', { params: { id: opened.order._id } });
  expect(order).toMatchObject({ orderStatus: 'paid', refunded: 2.5, refunds: [{ amount: 2.5 }] });
});

test('an event of the wrong mode returns 200 and is ignored', async () => {
  await using shop = await startShop();
  const opened = await openOrder(shop);
  // The response would be 503 if the shop called the provider.
  shop.stripe.fail({ call: 'GET /v1/payment_intents/:id', how: 'unreachable' });
  expect((await sendEvent(shop, succeededEvent(opened.intent.id, { livemode: true }))).status).toBe(200);
  expect(await statusOf(shop, opened)).toBe('');
});

test('an event returns 503 while the provider is unreachable, so that it is resent', async () => {
  await using shop = await startShop();
  const opened = await openOrder(shop);
  shop.stripe.fail({ call: 'GET /v1/payment_intents/:id', how: 500 });
  expect((await sendEvent(shop, succeededEvent(opened.intent.id))).status).toBe(503);
});

test('an event about a payment or a dispute that the provider does not know is resent only if the key is for another account', async () => {
  await using shop = await startShop({ allowErrorLogs: true });
  await shop.stripe.close();
  const { db } = shop.database;
  const { intent } = await openOrder(shop);
  const events = [
    succeededEvent(intent.id),
    refundedEvent(intent.id),
    // A dispute that the provider does not know, of a payment of the shop.
    succeededEvent('', {
      type: 'charge.dispute.created',
      data: { object: { id: 'du_1', payment_intent: intent.id } },
    }),
  ];
  const { account } = await db.selectFrom('payment').select('account').executeTakeFirstOrThrow();
  await renameAtProvider(shop, intent.id, 'hidden');
  for (const state of ['open', 'cancelled', 'paid', 'undecided'] as const)
    for (const [madeAt, expected] of [
      [account, [200, 200, 200]],
      ['acct_former', [503, 503, 503]],
    ] as const) {
      await db.updateTable('payment').set({ state, account: madeAt }).execute();
      const statuses = [];
      for (const event of events) statuses.push((await sendEvent(shop, event)).status);
      expect([state, statuses]).toEqual([state, expected]);
      expect(await db.selectFrom('payment').select('state').execute()).toEqual([{ state }]);
    }
  const warnings = shop.logged.filter(({ level }) => level === 40);
  const sentence = 'an event names a payment or a dispute that the provider does not know';
  expect(new Set(warnings.map(({ msg }) => msg))).toEqual(new Set([sentence]));
});

test('an event larger than 1 MB returns 413', async () => {
  await using shop = await startShop();
  expect((await sendEvent(shop, { padding: 'x'.repeat(1_000_001) })).status).toBe(413);
});
