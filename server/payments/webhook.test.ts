import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { confirm, openPayment, placeOrder } from '../../tests/support/payments.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';

/** Sends an event as Stripe does; `secret` and `timestamp` (in seconds) are what it is signed with. */
async function sendEvent(
  shop: TestShop,
  event: object,
  { secret = shop.stripe.webhookSecret, timestamp = Math.floor(Date.now() / 1000), change = '' } = {},
): Promise<Response> {
  const payload = JSON.stringify(event);
  const signature = new Stripe('sk_test_none').webhooks.generateTestHeaderString({
    payload,
    secret,
    timestamp,
  });
  return shop.fetch(
    new Request(`${shop.origin}/api/webhooks/stripe`, {
      method: 'POST',
      headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
      body: payload + change,
    }),
  );
}

const succeeded = (id: string, more = {}) => ({
  id: 'evt_test',
  object: 'event',
  type: 'payment_intent.succeeded',
  livemode: false,
  data: {
    object: {
      id,
      object: 'payment_intent',
      status: 'succeeded',
      amount_received: 1250,
      currency: 'usd',
      metadata: {},
    },
  },
  ...more,
});

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
    await shop.fetch(
      new Request(`${shop.origin}/api/webhooks/stripe`, { method: 'POST', body: JSON.stringify(event) }),
    ),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(answers[0]?.headers.get('content-type')).toBe('application/problem+json');
  expect(await statusOf(shop, opened)).toBe('');
});

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
