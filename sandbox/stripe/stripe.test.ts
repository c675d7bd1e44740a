import Stripe from 'stripe';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { engines } from '../../tests/support/database.ts';
import { connectStripe, openDatabase, startShop } from './test-support.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
const cleanup = (end: () => Promise<void>) => ends.push(end);

const card = { allowed_payment_method_types: ['card' as const], amount: 1999, currency: 'usd' };
const pay = { ...card, confirm: true, payment_method: 'pm_card_visa' };

/** The Stripe error that a call ends in. */
async function errorOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Stripe.errors.StripeError) return error;
  throw new Error(`no Stripe error but ${error}`);
}

describe.each(engines)('over %s', (engine) => {
  const start = async () => startShop(await openDatabase(engine, cleanup), cleanup);

  test('an intent is made with its amount, metadata and client secret', async () => {
    const { stripe } = await start();
    const intent = await stripe.paymentIntents.create({ ...card, metadata: { order: '7' } });
    expect(intent).toMatchObject({
      status: 'requires_payment_method',
      amount: 1999,
      metadata: { order: '7' },
    });
    expect(intent.client_secret).toMatch(new RegExp(`^${intent.id}_secret_`));
    expect(intent.lastResponse.requestId).toMatch(/^req_/);
    expect(await stripe.paymentIntents.retrieve(intent.id)).toEqual(intent);
  });

  test('a confirmed intent is paid, with its charge behind expand', async () => {
    const { stripe } = await start();
    const intent = await stripe.paymentIntents.create({
      ...pay,
      expand: ['latest_charge', 'payment_method'],
    });
    expect(intent).toMatchObject({
      status: 'succeeded',
      amount_received: 1999,
      latest_charge: { paid: true, payment_intent: intent.id },
      payment_method: { card: { last4: '4242', brand: 'visa' } },
    });
  });

  test.each([
    ['pm_card_visa_chargeDeclined', 'card_declined', 'generic_decline', 'Your card was declined.'],
    [
      'pm_card_visa_chargeDeclinedInsufficientFunds',
      'card_declined',
      'insufficient_funds',
      'Your card has insufficient funds.',
    ],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card', 'Your card has expired.'],
    [
      'pm_card_chargeDeclinedIncorrectCvc',
      'incorrect_cvc',
      'incorrect_cvc',
      "Your card's security code is incorrect.",
    ],
  ])('%s is declined and can be paid by another card', async (method, code, decline_code, message) => {
    const { stripe } = await start();
    const { id } = await stripe.paymentIntents.create(card);
    const error = await errorOf(stripe.paymentIntents.confirm(id, { payment_method: method }));
    expect(error).toBeInstanceOf(Stripe.errors.StripeCardError);
    expect(error).toMatchObject({ statusCode: 402, code, decline_code, message, payment_intent: { id } });
    const declined = await stripe.paymentIntents.retrieve(id);
    expect(declined).toMatchObject({
      status: 'requires_payment_method',
      payment_method: null,
      last_payment_error: { code, decline_code, message },
    });
    const paid = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_mastercard' });
    expect(paid).toMatchObject({ status: 'succeeded', last_payment_error: null });
  });

  test('of two confirms at once one pays', async () => {
    const { stripe } = await start();
    const { id } = await stripe.paymentIntents.create(card);
    const confirm = () => stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    const results = await Promise.allSettled([confirm(), confirm(), confirm()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const events = await stripe.events.list({ type: 'payment_intent.succeeded' });
    expect(events.data).toHaveLength(1);
  });

  test('of a confirm and a cancel at once, in two processes, one wins', async () => {
    const db = await openDatabase(engine, cleanup);
    const [one, two] = [await startShop(db, cleanup), await startShop(db, cleanup)];
    for (let round = 0; round < 5; round += 1) {
      const { id } = await one.stripe.paymentIntents.create(card);
      const [confirm, cancel] = await Promise.allSettled([
        one.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }),
        two.stripe.paymentIntents.cancel(id),
      ]);
      const { status } = await two.stripe.paymentIntents.retrieve(id);
      expect([confirm.status, cancel.status].sort()).toEqual(['fulfilled', 'rejected']);
      expect(status).toBe(confirm.status === 'fulfilled' ? 'succeeded' : 'canceled');
    }
  });

  test('two processes that open at once have the same keys', async () => {
    const db = await openDatabase(engine, cleanup);
    const shops = await Promise.all([1, 2, 3].map(() => startShop(db, cleanup)));
    const keys = shops.map(({ standIn }) => [
      standIn.secretKey,
      standIn.publishableKey,
      standIn.webhookSecret,
    ]);
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]).toEqual(keys[0]);
  });

  test('a paid intent cannot be cancelled, a cancelled one not paid', async () => {
    const { stripe } = await start();
    const paid = await stripe.paymentIntents.create(pay);
    expect(await errorOf(stripe.paymentIntents.cancel(paid.id))).toMatchObject({
      statusCode: 400,
      code: 'payment_intent_unexpected_state',
      payment_intent: { status: 'succeeded' },
    });
    const open = await stripe.paymentIntents.create(card);
    const cancelled = await stripe.paymentIntents.cancel(open.id, { cancellation_reason: 'abandoned' });
    expect(cancelled).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' });
    const late = stripe.paymentIntents.confirm(open.id, { payment_method: 'pm_card_visa' });
    expect(await errorOf(late)).toMatchObject({ code: 'payment_intent_unexpected_state' });
  });

  test('a refund gives back once, even when asked for twice at once', async () => {
    const { stripe, received } = await start();
    const intent = await stripe.paymentIntents.create(pay);
    const refund = () => stripe.refunds.create({ payment_intent: intent.id });
    const results = await Promise.allSettled([refund(), refund()]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await errorOf(refund())).toMatchObject({ statusCode: 400, code: 'charge_already_refunded' });
    const list = await stripe.refunds.list({ payment_intent: intent.id });
    expect(list.data).toMatchObject([{ amount: 1999, status: 'succeeded', charge: intent.latest_charge }]);
    await vi.waitFor(() => expect(received.map(({ type }) => type)).toContain('charge.refunded'));
  });

  test('a part can be refunded, not more than is left', async () => {
    const { stripe } = await start();
    const { id } = await stripe.paymentIntents.create(pay);
    await stripe.refunds.create({ payment_intent: id, amount: 1500 });
    const error = await errorOf(stripe.refunds.create({ payment_intent: id, amount: 500 }));
    expect(error.message).toBe('Refund amount ($5.00) is greater than unrefunded amount on charge ($4.99)');
    await stripe.refunds.create({ payment_intent: id, amount: 499 });
    expect(await errorOf(stripe.refunds.create({ payment_intent: id }))).toMatchObject({
      code: 'charge_already_refunded',
    });
  });

  test('an idempotency key gets the first answer again, and only for the same request', async () => {
    const { stripe } = await start();
    const once = { idempotencyKey: 'order:1' };
    const first = await stripe.paymentIntents.create(card, once);
    const again = await stripe.paymentIntents.create(card, once);
    expect(again).toEqual(first);
    expect(await errorOf(stripe.paymentIntents.create({ ...card, amount: 70 }, once))).toMatchObject({
      statusCode: 400,
      type: 'StripeIdempotencyError',
    });
    expect((await stripe.paymentIntents.list()).data).toHaveLength(1);
  });

  test('a key whose first request failed its validation can be used again; a decline is kept', async () => {
    const { stripe } = await start();
    const once = { idempotencyKey: 'again' };
    await errorOf(stripe.rawRequest('POST', '/v1/payment_intents', { ...card, colour: 'red' }, once));
    const { id } = await stripe.paymentIntents.create(card, once);
    const decline = () =>
      stripe.paymentIntents.confirm(
        id,
        { payment_method: 'pm_card_visa_chargeDeclined' },
        { idempotencyKey: 'pay' },
      );
    await errorOf(decline());
    const replayed = await errorOf(decline());
    expect(replayed).toMatchObject({ statusCode: 402, headers: { 'idempotent-replayed': 'true' } });
    expect((await stripe.events.list({ type: 'payment_intent.payment_failed' })).data).toHaveLength(1);
  });

  test('a second request under a key that is at work gets 409', async () => {
    const { stripe, standIn } = await start();
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const until = () => {
      reached.resolve();
      return gate.promise;
    };
    standIn.fail({ call: 'POST /v1/payment_intents', how: 'slow', until });
    const once = { idempotencyKey: 'order:2' };
    const first = stripe.paymentIntents.create(card, once);
    await reached.promise;
    expect(await errorOf(stripe.paymentIntents.create(card, once))).toMatchObject({ statusCode: 409 });
    gate.resolve();
    expect((await first).status).toBe('requires_payment_method');
  });

  test('events are signed, in the outbox with their change, and delivered', async () => {
    const { stripe, received } = await start();
    const intent = await stripe.paymentIntents.create(pay);
    await vi.waitFor(() => expect(received).toHaveLength(2));
    const paid = received.find(({ type }) => type === 'payment_intent.succeeded');
    expect(paid).toMatchObject({ livemode: false, api_version: Stripe.API_VERSION });
    expect(paid?.data.object).toMatchObject({ id: intent.id, status: 'succeeded' });
    expect(await stripe.events.retrieve(paid?.id ?? '')).toMatchObject({ type: 'payment_intent.succeeded' });
  });

  test('an event is delivered again until it is taken', async () => {
    const { stripe, received, webhook } = await start();
    let refused = 0;
    webhook.status = () => {
      refused += 1;
      return refused > 2 ? 200 : 500;
    };
    await stripe.paymentIntents.create(card);
    await vi.waitFor(() => expect(received).toHaveLength(1), { timeout: 8000 });
    expect(refused).toBe(3);
  });

  test('an event that was not delivered is so after a restart', async () => {
    const db = await openDatabase(engine, cleanup);
    const before = await startShop(db, cleanup);
    before.webhook.status = () => 503;
    const { id } = await before.stripe.paymentIntents.create(card);
    await before.standIn.close();
    const after = await startShop(db, cleanup);
    await vi.waitFor(() => expect(after.received).toHaveLength(1), { timeout: 8000 });
    expect(after.received[0]?.data.object).toMatchObject({ id });
    expect(before.received).toEqual([]);
  });

  test('lists are paged, newest first, and filtered by time', async () => {
    const { stripe } = await start();
    const ids: string[] = [];
    for (const amount of [100, 200, 300])
      ids.unshift((await stripe.paymentIntents.create({ ...card, amount })).id);
    const first = await stripe.paymentIntents.list({ limit: 2 });
    expect(first).toMatchObject({ has_more: true, data: [{ amount: 300 }, { amount: 200 }] });
    const all: string[] = [];
    for await (const { id } of stripe.paymentIntents.list({ limit: 1 })) all.push(id);
    expect(all).toEqual(ids);
    const later = Math.floor(Date.now() / 1000) + 60;
    expect((await stripe.paymentIntents.list({ created: { gte: later } })).data).toEqual([]);
    expect((await stripe.paymentIntents.list({ created: { lt: later } })).data).toHaveLength(3);
  });

  test('authentication is asked for, and completed or failed', async () => {
    const { stripe, standIn, received } = await start();
    const finish = async (method: string, outcome: string) => {
      const intent = await stripe.paymentIntents.create({ ...card, confirm: true, payment_method: method });
      expect(intent).toMatchObject({
        status: 'requires_action',
        next_action: { type: 'use_stripe_sdk' },
      });
      const answer = await standIn.fetch(
        new Request(`http://shop.test/sandbox/stripe/v1/payment_intents/${intent.id}/authenticate`, {
          method: 'POST',
          body: new URLSearchParams({
            key: 'pk_test_any',
            client_secret: intent.client_secret ?? '',
            outcome,
          }),
        }),
      );
      return { status: answer.status, intent: await stripe.paymentIntents.retrieve(intent.id) };
    };
    const paid = await finish('pm_card_authenticationRequired', 'complete');
    expect(paid).toMatchObject({ status: 200, intent: { status: 'succeeded' } });
    const failed = await finish('pm_card_authenticationRequired', 'fail');
    expect(failed.intent).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'payment_intent_authentication_failure' },
    });
    const declined = await finish('pm_card_threeDSecureRequiredChargeDeclined', 'complete');
    expect(declined).toMatchObject({ status: 402, intent: { status: 'requires_payment_method' } });
    await vi.waitFor(() =>
      expect(received.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['payment_intent.requires_action', 'payment_intent.payment_failed']),
      ),
    );
  });
});

describe('what is refused', () => {
  const start = async () => startShop(await openDatabase('sqlite', cleanup), cleanup);

  test('bad input is answered with Stripe’s codes', async () => {
    const { stripe } = await start();
    const { create, retrieve, confirm } = bound(stripe);
    expect(await errorOf(create({ ...card, amount: 49 }))).toMatchObject({
      code: 'amount_too_small',
      message: 'Amount must be at least $0.50 usd',
    });
    expect(await errorOf(create({ ...card, amount: 1.5 }))).toMatchObject({
      code: 'parameter_invalid_integer',
    });
    expect(await errorOf(stripe.rawRequest('POST', '/v1/payment_intents', { amount: 60 }))).toMatchObject({
      code: 'parameter_missing',
      param: 'currency',
    });
    const colour = stripe.rawRequest('POST', '/v1/payment_intents', { ...card, colour: 'red' });
    expect(await errorOf(colour)).toMatchObject({ code: 'parameter_unknown', param: 'colour' });
    expect(await errorOf(retrieve('pi_none'))).toMatchObject({ statusCode: 404, code: 'resource_missing' });
    const { id } = await create(card);
    expect(await errorOf(confirm(id))).toMatchObject({ code: 'payment_intent_unexpected_state' });
    expect(await errorOf(stripe.rawRequest('GET', '/v1/nothing'))).toMatchObject({ statusCode: 404 });
  });

  test('a wrong key gets nothing, a publishable one only what belongs to the client secret', async () => {
    const { stripe, standIn } = await start();
    const { id, client_secret } = await stripe.paymentIntents.create({ ...card, metadata: { order: '7' } });
    const wrong = connectStripe(standIn, 'sk_test_wrong');
    expect(await errorOf(wrong.paymentIntents.list())).toMatchObject({ statusCode: 401 });
    const open = connectStripe(standIn, standIn.publishableKey);
    expect(await errorOf(open.paymentIntents.list())).toMatchObject({ code: 'secret_key_required' });
    expect(await errorOf(open.paymentIntents.retrieve(id))).toMatchObject({ statusCode: 400 });
    const seen = await open.paymentIntents.retrieve(id, { client_secret: client_secret ?? '' });
    expect(seen).toMatchObject({ id, status: 'requires_payment_method' });
    expect(seen).not.toHaveProperty('metadata');
  });

  test('a card of no test list is declined, a mistyped number is no card', async () => {
    const { stripe } = await start();
    const method = (number: string) =>
      stripe.paymentMethods.create({
        type: 'card',
        card: { number, exp_month: 12, exp_year: 2040, cvc: '123' },
      });
    expect(await errorOf(method('4242424242424241'))).toMatchObject({
      statusCode: 402,
      code: 'incorrect_number',
      message: 'Your card number is incorrect.',
    });
    const { id } = await method('4111111111111111');
    expect(await errorOf(stripe.paymentIntents.create({ ...pay, payment_method: id }))).toMatchObject({
      decline_code: 'test_mode_live_card',
    });
  });

  test('calls fail on demand, and a lost answer is replayed by its key', async () => {
    const { stripe, standIn } = await start();
    const call = 'POST /v1/payment_intents';
    standIn.fail({ call, how: 500 });
    expect(await errorOf(stripe.paymentIntents.create(card))).toMatchObject({ statusCode: 500 });
    standIn.fail({ call, how: 429, times: 2 });
    expect(await errorOf(stripe.paymentIntents.create(card))).toMatchObject({ statusCode: 429 });
    expect(await errorOf(stripe.paymentIntents.create(card))).toMatchObject({ statusCode: 429 });
    standIn.fail({ call, how: 'refused' });
    const refused = await errorOf(stripe.paymentIntents.create(card));
    expect(refused).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect((await stripe.paymentIntents.list()).data).toEqual([]);
    standIn.fail({ call, how: 'timeout-after-success' });
    const once = { idempotencyKey: 'lost' };
    await errorOf(stripe.paymentIntents.create(card, once));
    const found = await stripe.paymentIntents.create(card, once);
    expect((await stripe.paymentIntents.list()).data).toMatchObject([{ id: found.id }]);
  });

  test('a doctor can ask for balance and account; browsers get the script and frames that run nothing inline', async () => {
    const { stripe, standIn } = await start();
    expect((await stripe.balance.retrieve()).livemode).toBe(false);
    expect((await stripe.accounts.retrieve(null)).charges_enabled).toBe(true);
    const get = (path: string, headers = {}) =>
      standIn.fetch(new Request(`http://shop.test/sandbox/stripe/v3/${path}`, { headers }));
    const script = await get('');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const unchanged = await get('', { 'if-none-match': script.headers.get('etag') });
    expect(unchanged.status).toBe(304);
    for (const name of ['card.html', 'authenticate.html']) {
      const page = await get(name);
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
      const files = (await page.text()).matchAll(/(?:src|href)="([^"]+)"/g);
      for (const [, file = ''] of files) expect((await get(file)).status).toBe(200);
    }
    expect((await get('../stripe.ts')).status).toBe(404);
    expect((await get('constructor')).status).toBe(404);
  });
});

/** The calls of intents as plain functions. */
function bound(stripe: Stripe) {
  const intents = stripe.paymentIntents;
  return {
    create: (params: Stripe.PaymentIntentCreateParams) => intents.create(params),
    retrieve: (id: string) => intents.retrieve(id),
    confirm: (id: string) => intents.confirm(id),
  };
}

test('a form that would keep the process busy is refused at once', async ({ onTestFinished }) => {
  const db = await openDatabase('sqlite', onTestFinished);
  const { standIn } = await startShop(db, onTestFinished);
  const post = async (body: string) => {
    const address = 'http://shop.test/sandbox/stripe/v1/payment_methods';
    return (await standIn.fetch(new Request(address, { method: 'POST', body }))).status;
  };
  expect(await post('a[]=&'.repeat(60_000))).toBe(413);
  expect(await post('a[]=&'.repeat(10_000))).toBe(400);
  expect(await post(`type${'[b]'.repeat(20_000)}=1`)).toBe(400);
});
