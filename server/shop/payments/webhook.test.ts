import { expect, onTestFinished, test } from 'vitest';
import { engines, makeDatabase } from '../../../tests/support/database.ts';
import { askStripe, confirm, openPayment, placeOrder, tellPaid } from '../../../tests/support/payments.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { postEvent, sendEvent, signEvent, succeeded } from '../../../tests/support/stripe-event.ts';

const now = () => Math.floor(Date.now() / 1000);

async function openOrder(shop: TestShop) {
  const person = await shop.signUp();
  const order = await placeOrder(shop, person, await shop.addProduct());
  return { person, order, intent: await openPayment(shop, person, order) };
}

const statusOf = async (shop: TestShop, { person, order }: Awaited<ReturnType<typeof openOrder>>) =>
  (await shop.client(person).call('getOrder', { params: { id: order._id } })).orderStatus;

test('a signed event is only a hint: one that lies about a success changes nothing', async () => {
  await using shop = await startShop();
  const opened = await openOrder(shop);
  expect((await sendEvent(shop, succeeded(opened.intent.id))).status).toBe(200);
  expect(await statusOf(shop, opened)).toBe('');
});

test('forged, changed, unsigned and stale events are answered 400 and change nothing', async () => {
  await using shop = await startShop();
  const opened = await openOrder(shop);
  const event = succeeded(opened.intent.id);
  const answers = [
    await sendEvent(shop, event, { secret: 'whsec_guessed' }),
    await sendEvent(shop, event, { change: ' ' }),
    await sendEvent(shop, event, { timestamp: Math.floor(Date.now() / 1000) - 301 }),
    await postEvent(shop, JSON.stringify(event)),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(answers[0]?.headers.get('content-type')).toBe('application/problem+json');
  expect(await statusOf(shop, opened)).toBe('');
});

test.each(engines)(
  'an event of no shape that we know is taken, noted and does nothing, on %s',
  async (engine) => {
    await using shop = await startShop({ engine });
    const intents = [{ id: 'pi_\0' }, { id: '' }, { id: 'pi_1', metadata: null }, null, []];
    const shapes = [...intents.map((object) => ({ object })), null, 'pi_1'];
    for (const data of shapes) {
      const sent = await sendEvent(shop, succeeded('', { data }));
      expect([data, sent.status]).toEqual([data, 200]);
    }
    const rows = await shop.database.db.selectFrom('unknown_payment').selectAll().execute();
    expect(rows).toEqual([]);
    const noted = shop.logged.filter(({ msg }) => msg === 'a payment event could not be parsed');
    expect(noted).toEqual(shapes.map(() => expect.objectContaining({ level: 40, event: 'evt_test' })));
  },
);

test('doubles and a late failure behind the success do no harm', async () => {
  await using shop = await startShop();
  const opened = await openOrder(shop);
  await confirm(shop, opened.intent, 'pm_card_visa_chargeDeclined');
  await confirm(shop, opened.intent);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => sendEvent(shop, succeeded(opened.intent.id))),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await sendEvent(shop, succeeded(opened.intent.id, { type: 'payment_intent.payment_failed' }));
  await sendEvent(shop, succeeded(opened.intent.id, { type: 'payment_intent.canceled' }));
  expect(await statusOf(shop, opened)).toBe('paid');
});

test('an event that comes before the browser’s PATCH pays, and the PATCH finds it so', async () => {
  await using shop = await startShop();
  await shop.stripe.close();
  const opened = await openOrder(shop);
  await confirm(shop, opened.intent);
  expect((await sendEvent(shop, succeeded(opened.intent.id))).status).toBe(200);
  expect(await statusOf(shop, opened)).toBe('paid');
  expect(await tellPaid(shop, opened.person, opened.order, opened.intent)).toEqual({ modifiedCount: 0 });
});

test('a request that somebody has caught does nothing again, and after five minutes is refused', async () => {
  await using shop = await startShop();
  await shop.stripe.close();
  const opened = await openOrder(shop);
  await confirm(shop, opened.intent);
  const payload = JSON.stringify(succeeded(opened.intent.id));
  const sentAt = (seconds: number) =>
    postEvent(shop, payload, signEvent(payload, shop.stripe.webhookSecret, now() - seconds));
  for (let time = 0; time < 2; time++) expect((await sentAt(290)).status).toBe(200);
  expect(await statusOf(shop, opened)).toBe('paid');
  const payments = await shop.database.db.selectFrom('payment').select('state').execute();
  expect(payments).toEqual([{ state: 'paid' }]);
  expect((await sentAt(301)).status).toBe(400);
});

test('events that come hours late and in the wrong order change nothing that is settled', async () => {
  await using shop = await startShop();
  await shop.stripe.close();
  const { db } = shop.database;
  const [paid, gone] = [await openOrder(shop), await openOrder(shop)];
  await confirm(shop, paid.intent);
  await shop.doPeriodicWork();
  await db.updateTable('orders').set({ status: 'sipping' }).where('id', '=', paid.order._id).execute();
  await shop.client(gone.person).call('deleteOrder', { params: { id: gone.order._id } });
  // Signed when it is sent, as Stripe does; made when it happened.
  const late = { created: now() - 20 * 3600 };
  const answers = [
    await sendEvent(shop, succeeded(paid.intent.id, { ...late, type: 'payment_intent.canceled' })),
    await sendEvent(shop, succeeded(paid.intent.id, late)),
    await sendEvent(shop, succeeded(paid.intent.id, { ...late, type: 'payment_intent.created' })),
    await sendEvent(shop, succeeded(gone.intent.id, late)),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await statusOf(shop, paid)).toBe('sipping');
  const payments = await db.selectFrom('payment').select(['intent', 'state']).orderBy('id').execute();
  expect(payments).toEqual([
    { intent: paid.intent.id, state: 'paid' },
    { intent: gone.intent.id, state: 'cancelled' },
  ]);
  expect((await askStripe(shop, 'GET', '/refunds?limit=10')).data).toEqual([]);
});

test('while the secret is replaced the old and the new one count, then the new one alone', async () => {
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
  // Of another shop: nothing is to be asked at the provider.
  const event = succeeded('pi_of_another_shop');
  const answers = async (secrets: string) => {
    await using shop = await open(secrets);
    const sent = ['whsec_old', 'whsec_new'].map((secret) => sendEvent(shop, event, { secret }));
    return (await Promise.all(sent)).map(({ status }) => status);
  };
  expect(await answers('whsec_old')).toEqual([200, 400]);
  expect(await answers('whsec_new, whsec_old')).toEqual([200, 200]);
  expect(await answers('whsec_new')).toEqual([400, 200]);
});

test('a refund event is only a hint, and one for another payment of the account is ignored', async () => {
  await using shop = await startShop();
  const opened = await openOrder(shop);
  await confirm(shop, opened.intent);
  await expect.poll(() => statusOf(shop, opened)).toBe('paid');
  const types = ['refund.created', 'refund.updated', 'refund.failed', 'charge.refunded'];
  const events = [opened.intent.id, 'pi_of_another_shop', null].flatMap((payment_intent) =>
    types.map((type) => succeeded('', { type, data: { object: { id: 're_1', payment_intent } } })),
  );
  for (const event of events) expect((await sendEvent(shop, event)).status).toBe(200);
  const payments = shop.database.db.selectFrom('payment').select(['state', 'refund_status']);
  expect(await payments.execute()).toEqual([{ state: 'paid', refund_status: null }]);
});

test('an event of the wrong mode is answered 200 and never looked at', async () => {
  await using shop = await startShop();
  const opened = await openOrder(shop);
  // Would answer 503 if the provider were asked.
  shop.stripe.fail({ call: 'GET /v1/payment_intents/:id', times: 3, how: 'refused' });
  expect((await sendEvent(shop, succeeded(opened.intent.id, { livemode: true }))).status).toBe(200);
  expect(await statusOf(shop, opened)).toBe('');
});

test('while the provider cannot be asked the event is answered 503, so that it comes again', async () => {
  await using shop = await startShop();
  const opened = await openOrder(shop);
  shop.stripe.fail({ call: 'GET /v1/payment_intents/:id', times: 3, how: 500 });
  expect((await sendEvent(shop, succeeded(opened.intent.id))).status).toBe(503);
});

test('an event larger than 1 MB is answered 413', async () => {
  await using shop = await startShop();
  expect((await sendEvent(shop, { padding: 'x'.repeat(1_000_001) })).status).toBe(413);
});
