import Stripe from 'stripe';
import { afterEach, describe, expect, test } from 'vitest';
import { engines } from '../../tests/support/database.ts';
import { interruptBefore, recordStatements } from '../../tests/support/statements.ts';
import { waitUntil } from '../../tests/support/wait.ts';
import { runIdempotently } from './idempotency.ts';
import type { StripeTables } from './tables.ts';
import {
  cardIntent,
  createStripeClient,
  errorOf,
  objectOf,
  openTestDatabase,
  paidIntent,
  startShop,
} from './test-support.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
const onCleanup = (cleanup: () => Promise<void>) => cleanups.push(cleanup);

describe.each(engines)('on %s', (engine) => {
  const start = async () => startShop(await openTestDatabase(engine, onCleanup), onCleanup);

  test('creating an intent returns its amount, metadata and client secret', async () => {
    const { stripe } = await start();
    const intent = await stripe.paymentIntents.create({ ...cardIntent, metadata: { order: '7' } });
    expect(intent).toMatchObject({
      status: 'requires_payment_method',
      amount: 1999,
      metadata: { order: '7' },
    });
    expect(intent.client_secret).toMatch(new RegExp(`^${intent.id}_secret_`));
    expect(intent.lastResponse.requestId).toMatch(/^req_/);
    expect(await stripe.paymentIntents.retrieve(intent.id)).toEqual(intent);
  });

  test('confirming an intent charges it and sends charge.succeeded', async () => {
    const { stripe, received } = await start();
    const intent = await stripe.paymentIntents.create(paidIntent);
    expect(intent).toMatchObject({ status: 'succeeded', amount_received: 1999 });
    await waitUntil(() => expect(objectOf(received, 'charge.succeeded')).toBeDefined());
    expect(objectOf(received, 'charge.succeeded')).toMatchObject({
      id: intent.latest_charge,
      paid: true,
      payment_intent: intent.id,
      payment_method: intent.payment_method,
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
    [
      'pm_card_visa_chargeDeclinedVelocityLimitExceeded',
      'card_declined',
      'card_velocity_exceeded',
      /too freq/,
    ],
    ['pm_card_radarBlock', 'card_declined', 'fraudulent', 'Your card was declined.'],
    ['pm_card_cvcCheckFail', 'incorrect_cvc', 'incorrect_cvc', "Your card's security code is incorrect."],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card', 'Your card has expired.'],
    [
      'pm_card_chargeDeclinedIncorrectCvc',
      'incorrect_cvc',
      'incorrect_cvc',
      "Your card's security code is incorrect.",
    ],
  ])('%s is declined, and another card can pay', async (method, code, decline_code, message) => {
    const { stripe, received } = await start();
    const { id } = await stripe.paymentIntents.create(cardIntent);
    const error = await errorOf(stripe.paymentIntents.confirm(id, { payment_method: method }));
    expect(error).toBeInstanceOf(Stripe.errors.StripeCardError);
    expect(error).toMatchObject({ statusCode: 402, code, decline_code, payment_intent: { id } });
    expect(error.message).toMatch(message);
    const declined = await stripe.paymentIntents.retrieve(id);
    expect(declined).toMatchObject({
      status: 'requires_payment_method',
      payment_method: null,
      last_payment_error: { code, decline_code, message: error.message },
    });
    await waitUntil(() => expect(objectOf(received, 'charge.failed')).toMatchObject({ payment_intent: id }));
    const paid = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_mastercard' });
    expect(paid).toMatchObject({ status: 'succeeded', last_payment_error: null });
  });

  test('of concurrent confirms, one charges', async () => {
    const { stripe } = await start();
    const { id } = await stripe.paymentIntents.create(cardIntent);
    const confirm = () => stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    const results = await Promise.allSettled([confirm(), confirm(), confirm()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('of a concurrent confirm and cancel in two processes, one succeeds', async () => {
    const db = await openTestDatabase(engine, onCleanup);
    const [one, two] = [await startShop(db, onCleanup), await startShop(db, onCleanup)];
    for (let round = 0; round < 5; round += 1) {
      const { id } = await one.stripe.paymentIntents.create(cardIntent);
      const [confirm, cancel] = await Promise.allSettled([
        one.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }),
        two.stripe.paymentIntents.cancel(id),
      ]);
      const { status } = await two.stripe.paymentIntents.retrieve(id);
      expect([confirm.status, cancel.status].sort()).toEqual(['fulfilled', 'rejected']);
      expect(status).toBe(confirm.status === 'fulfilled' ? 'succeeded' : 'canceled');
    }
  });

  test('processes that start concurrently share their keys', async () => {
    const db = await openTestDatabase(engine, onCleanup);
    const shops = await Promise.all([1, 2, 3].map(() => startShop(db, onCleanup)));
    const keys = shops.map(({ standIn }) => [
      standIn.secretKey,
      standIn.publishableKey,
      standIn.webhookSecret,
    ]);
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]).toEqual(keys[0]);
  });

  test('a paid intent cannot be cancelled, and a cancelled one cannot be paid', async () => {
    const { stripe } = await start();
    const paid = await stripe.paymentIntents.create(paidIntent);
    expect(await errorOf(stripe.paymentIntents.cancel(paid.id))).toMatchObject({
      statusCode: 400,
      code: 'payment_intent_unexpected_state',
      payment_intent: { status: 'succeeded' },
    });
    const open = await stripe.paymentIntents.create(cardIntent);
    expect(await stripe.paymentIntents.cancel(open.id)).toMatchObject({ status: 'canceled' });
    const late = stripe.paymentIntents.confirm(open.id, { payment_method: 'pm_card_visa' });
    expect(await errorOf(late)).toMatchObject({ code: 'payment_intent_unexpected_state' });
  });

  test('of concurrent refunds of a charge, one succeeds', async () => {
    const { stripe, received } = await start();
    const intent = await stripe.paymentIntents.create(paidIntent);
    const refund = () => stripe.refunds.create({ payment_intent: intent.id });
    const results = await Promise.allSettled([refund(), refund()]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await errorOf(refund())).toMatchObject({ statusCode: 400, code: 'charge_already_refunded' });
    const list = await stripe.refunds.list({ payment_intent: intent.id });
    expect(list.data).toMatchObject([{ amount: 1999, status: 'succeeded', charge: intent.latest_charge }]);
    await waitUntil(() => expect(received.map(({ type }) => type)).toContain('charge.refunded'));
  });

  test('partial refunds never exceed the charge', async () => {
    const { stripe } = await start();
    const { id } = await stripe.paymentIntents.create(paidIntent);
    await stripe.refunds.create({ payment_intent: id, amount: 1500 });
    const error = await errorOf(stripe.refunds.create({ payment_intent: id, amount: 500 }));
    expect(error.message).toBe('Refund amount ($5.00) is greater than unrefunded amount on charge ($4.99)');
    await stripe.refunds.create({ payment_intent: id, amount: 499 });
    expect(await errorOf(stripe.refunds.create({ payment_intent: id }))).toMatchObject({
      code: 'charge_already_refunded',
    });
  });

  test('an idempotency key replays the first response and rejects a different request', async () => {
    const { stripe } = await start();
    const options = { idempotencyKey: 'order:1' };
    const first = await stripe.paymentIntents.create(cardIntent, options);
    const replayed = await stripe.paymentIntents.create(cardIntent, options);
    expect(replayed).toEqual(first);
    expect(await errorOf(stripe.paymentIntents.create({ ...cardIntent, amount: 70 }, options))).toMatchObject(
      {
        statusCode: 400,
        type: 'StripeIdempotencyError',
      },
    );
    expect((await stripe.paymentIntents.list()).data).toHaveLength(1);
  });

  test('a key is reusable after failed validation; a decline is replayed', async () => {
    const { stripe } = await start();
    const options = { idempotencyKey: 'reused' };
    await errorOf(
      stripe.rawRequest('POST', '/v1/payment_intents', { ...cardIntent, colour: 'red' }, options),
    );
    const { id } = await stripe.paymentIntents.create(cardIntent, options);
    const decline = () =>
      stripe.paymentIntents.confirm(
        id,
        { payment_method: 'pm_card_visa_chargeDeclined' },
        { idempotencyKey: 'pay' },
      );
    await errorOf(decline());
    const replayed = await errorOf(decline());
    expect(replayed).toMatchObject({ statusCode: 402, headers: { 'idempotent-replayed': 'true' } });
  });

  test('a stored response is replayed, even if the connection failed during the commit', async () => {
    const db = await openTestDatabase(engine, onCleanup);
    await startShop(db, onCleanup);
    const request = { key: 'committed', id: 'req_1', fingerprint: '/v1/refunds' };
    const response = { status: 200, body: { id: 're_1' } };
    const tables = db.withTables<StripeTables>();
    const lost = runIdempotently(tables, request, async (store) => {
      await store(tables, response);
      throw new Error('Connection terminated');
    });
    await expect(lost).rejects.toThrow('Connection terminated');
    const replayed = runIdempotently(tables, { ...request, id: 'req_2' }, () => expect.unreachable());
    expect(await replayed).toEqual({ ...response, original: 'req_1' });
  });

  test('a request gets 409 while another with its key is running', async () => {
    const { stripe, standIn } = await start();
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const meanwhile = () => {
      reached.resolve();
      return gate.promise;
    };
    standIn.fail({ call: 'POST /v1/payment_intents', how: 'slow', meanwhile });
    const options = { idempotencyKey: 'order:2' };
    const first = stripe.paymentIntents.create(cardIntent, options);
    await reached.promise;
    expect(await errorOf(stripe.paymentIntents.create(cardIntent, options))).toMatchObject({
      statusCode: 409,
    });
    gate.resolve();
    expect((await first).status).toBe('requires_payment_method');
  });

  test('each change sends signed events', async () => {
    const { stripe, received } = await start();
    const intent = await stripe.paymentIntents.create(paidIntent);
    await waitUntil(() => expect(received).toHaveLength(3));
    const paid = received.find(({ type }) => type === 'payment_intent.succeeded');
    expect(paid).toMatchObject({ livemode: false, api_version: Stripe.API_VERSION });
    expect(paid?.data.object).toMatchObject({ id: intent.id, status: 'succeeded' });
  });

  test('however many changes happen during a run of deliveries, they start only one more run', async () => {
    const db = await openTestDatabase(engine, onCleanup);
    const { stripe, received } = await startShop(db, onCleanup);
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const dueEvents = /^select .* from .*stripe_delivery.* where .*due/;
    interruptBefore(db, dueEvents, () => {
      reached.resolve();
      return gate.promise;
    });
    const { statementsOf } = await recordStatements(async () => {
      await stripe.paymentIntents.create(cardIntent);
      await reached.promise;
      for (let count = 0; count < 10; count++) await stripe.paymentIntents.create(cardIntent);
      gate.resolve();
      await waitUntil(() => expect(received).toHaveLength(11));
    });
    // The first run waited. One more run is for the changes meanwhile. A third is possible if the first run had already read some of
    // these changes.
    const runs = statementsOf(db).filter((statement) => dueEvents.test(statement.sql));
    expect(runs.length).toBeLessThanOrEqual(3);
  });

  test('an event is retried until the webhook accepts it', async () => {
    const { stripe, received, webhook } = await start();
    let attempts = 0;
    webhook.status = () => {
      attempts += 1;
      return attempts > 2 ? 200 : 500;
    };
    await stripe.paymentIntents.create(cardIntent);
    await waitUntil(() => expect(received).toHaveLength(1));
    expect(attempts).toBe(3);
  });

  test('an undelivered event is delivered after a restart', async () => {
    const db = await openTestDatabase(engine, onCleanup);
    const before = await startShop(db, onCleanup);
    before.webhook.status = () => 503;
    const { id } = await before.stripe.paymentIntents.create(cardIntent);
    await before.standIn.close();
    const after = await startShop(db, onCleanup);
    await waitUntil(() => expect(after.received).toHaveLength(1));
    expect(after.received[0]?.data.object).toMatchObject({ id });
    expect(before.received).toEqual([]);
  });

  test('at Stripe’s pace, a failed delivery is retried after five minutes', async () => {
    const db = await openTestDatabase(engine, onCleanup);
    const { stripe, standIn, webhook } = await startShop(db, onCleanup);
    standIn.setRetryPace('stripe');
    webhook.status = () => 500;
    await stripe.paymentIntents.create(cardIntent);
    const tables = db.$extendTables<StripeTables>();
    const waits = async () => {
      const rows = await tables.selectFrom('stripe_delivery').select(['due', 'made']).execute();
      return rows.map(({ due, made }) => Number(due) - Number(made) >= 5 * 60_000);
    };
    await waitUntil(async () => expect(await waits()).toEqual([true]));
  });

  test('a processing payment cannot be cancelled, and then succeeds or fails', async () => {
    const { stripe, standIn, received } = await start();
    const begin = async (payment_method: string) => {
      standIn.fail({ call: 'POST /v1/payment_intents/:id/confirm', how: 'processing' });
      const { id } = await stripe.paymentIntents.create(cardIntent);
      const intent = await stripe.paymentIntents.confirm(id, { payment_method });
      expect(intent).toMatchObject({
        status: 'processing',
        processing: { type: 'card' },
        amount_received: 0,
      });
      expect(await errorOf(stripe.paymentIntents.cancel(id))).toMatchObject({
        code: 'payment_intent_unexpected_state',
        payment_intent: { status: 'processing' },
      });
      await standIn.finish(id);
      return stripe.paymentIntents.retrieve(id);
    };
    expect(await begin('pm_card_visa')).toMatchObject({ status: 'succeeded', processing: null });
    expect(await begin('pm_card_visa_chargeDeclined')).toMatchObject({ status: 'requires_payment_method' });
    await waitUntil(() => expect(objectOf(received, 'payment_intent.processing')).toBeDefined());
  });

  test('depending on the test card, a refund goes from pending to succeeded or from succeeded to failed', async () => {
    const { stripe, standIn, received } = await start();
    const refund = async (payment_method: string) => {
      const intent = await stripe.paymentIntents.create({ ...paidIntent, payment_method });
      const { id, status } = await stripe.refunds.create({ payment_intent: intent.id });
      const getRefund = async () => (await stripe.refunds.list({ payment_intent: intent.id })).data[0];
      const before = await getRefund();
      const second = await errorOf(stripe.refunds.create({ payment_intent: intent.id }));
      expect(second.code).toBe('charge_already_refunded');
      await standIn.finish(id);
      return { status, before, after: await getRefund() };
    };
    expect(await refund('pm_card_pendingRefund')).toMatchObject({
      status: 'pending',
      before: { status: 'pending' },
      after: { status: 'succeeded' },
    });
    expect(await refund('pm_card_refundFail')).toMatchObject({
      status: 'succeeded',
      before: { status: 'succeeded' },
      after: { status: 'failed', failure_reason: 'expired_or_canceled_card' },
    });
    await waitUntil(() => expect(objectOf(received, 'refund.failed')).toMatchObject({ status: 'failed' }));
  });

  test('lists are paginated, newest first, and filtered by time', async () => {
    const { stripe } = await start();
    const ids: string[] = [];
    for (const amount of [100, 200, 300])
      ids.unshift((await stripe.paymentIntents.create({ ...cardIntent, amount })).id);
    const first = await stripe.paymentIntents.list({ limit: 2 });
    expect(first).toMatchObject({ has_more: true, data: [{ amount: 300 }, { amount: 200 }] });
    const all: string[] = [];
    for await (const { id } of stripe.paymentIntents.list({ limit: 1 })) all.push(id);
    expect(all).toEqual(ids);
    const later = Math.floor(Date.now() / 1000) + 60;
    expect((await stripe.paymentIntents.list({ created: { gte: later } })).data).toEqual([]);
    expect((await stripe.paymentIntents.list({ created: { gte: later - 3600 } })).data).toHaveLength(3);
  });

  test('a payment with a card that requires authentication succeeds or fails with the authentication', async () => {
    const { stripe, standIn, received } = await start();
    const finish = async (method: string, outcome: string) => {
      const intent = await stripe.paymentIntents.create({
        ...cardIntent,
        confirm: true,
        payment_method: method,
      });
      expect(intent).toMatchObject({
        status: 'requires_action',
        next_action: { type: 'use_stripe_sdk' },
      });
      const response = await standIn.fetch(
        new Request(`http://shop.test/sandbox/stripe/v1/payment_intents/${intent.id}/authenticate`, {
          method: 'POST',
          body: new URLSearchParams({
            key: 'pk_test_any',
            client_secret: intent.client_secret ?? '',
            outcome,
          }),
        }),
      );
      return { status: response.status, intent: await stripe.paymentIntents.retrieve(intent.id) };
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
    await waitUntil(() =>
      expect(received.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['payment_intent.requires_action', 'payment_intent.payment_failed']),
      ),
    );
  });
});

describe('validation and errors', () => {
  const start = async () => startShop(await openTestDatabase('sqlite', onCleanup), onCleanup);

  test('invalid input is rejected with Stripe’s codes', async () => {
    const { stripe } = await start();
    const { create, retrieve, confirm } = bound(stripe);
    const send = (path: string, params: object) =>
      errorOf(stripe.rawRequest('POST', `/v1/${path}`, { ...params }));
    expect(await errorOf(create({ ...cardIntent, amount: 49 }))).toMatchObject({
      code: 'amount_too_small',
      message: 'Amount must be at least $0.50 usd',
    });
    expect(await errorOf(create({ ...cardIntent, amount: 1.5 }))).toMatchObject({
      code: 'parameter_invalid_integer',
    });
    expect(await errorOf(stripe.rawRequest('POST', '/v1/payment_intents', { amount: 60 }))).toMatchObject({
      code: 'parameter_missing',
      param: 'currency',
    });
    for (const [params, param] of [
      [{ colour: 'red' }, 'colour'],
      [{ payment_method_types: ['card'] }, 'payment_method_types'],
      [
        { payment_method_data: { billing_details: { address: { colour: 1 } } } },
        'payment_method_data[billing_details][address][colour]',
      ],
    ] as const) {
      const rejected = await send('payment_intents', { ...cardIntent, ...params });
      expect(rejected).toMatchObject({ statusCode: 400, code: 'parameter_unknown', param });
    }
    const both = { ...paidIntent, payment_method_data: { type: 'card' } };
    expect(await send('payment_intents', both)).toMatchObject({ code: 'parameters_exclusive' });
    expect(await send('payment_intents', { ...paidIntent, payment_method: 'pm_none' })).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
      param: 'payment_method',
    });
    expect(await send('refunds', { payment_intent: 'pi_none' })).toMatchObject({ statusCode: 400 });
    expect(await errorOf(retrieve('pi_none'))).toMatchObject({ statusCode: 404, code: 'resource_missing' });
    const { id } = await create(cardIntent);
    expect(await errorOf(confirm(id))).toMatchObject({ code: 'payment_intent_unexpected_state' });
    expect(await errorOf(stripe.rawRequest('GET', '/v1/nothing'))).toMatchObject({ statusCode: 404 });
  });

  test('an API version other than the pinned one is rejected', async () => {
    const { stripe } = await start();
    const list = (apiVersion: string) => stripe.paymentIntents.list({}, { apiVersion });
    expect((await list(Stripe.API_VERSION)).data).toEqual([]);
    expect(await errorOf(list('2026-08-26.dahlia'))).toMatchObject({
      statusCode: 400,
      message: 'Invalid Stripe API version: 2026-08-26.dahlia',
    });
  });

  test('Stripe’s currencies are accepted, each from its minimum charge', async () => {
    const { stripe } = await start();
    const create = (currency: string, amount: number) =>
      stripe.paymentIntents.create({ ...cardIntent, currency, amount });
    for (const [currency, minimum] of [
      ['usd', 50],
      ['thb', 1000],
      ['huf', 17_500],
      ['jpy', 50],
      ['isk', 100],
    ] as const) {
      expect(await create(currency, minimum)).toMatchObject({ currency, amount: minimum });
      const error = await errorOf(create(currency, minimum - 1));
      expect([currency, error.code]).toEqual([currency, 'amount_too_small']);
    }
    expect((await errorOf(create('huf', 1))).message).toMatch(/^Amount must be at least HUF\s175.00 huf$/);
    expect(await errorOf(create('isk', 150))).toMatchObject({ statusCode: 400, param: 'amount' });
    expect(await errorOf(create('xyz', 999))).toMatchObject({ statusCode: 400, param: 'currency' });
  });

  test('invalid email addresses are rejected', async () => {
    const { stripe } = await start();
    const described = (email: string) => ({
      ...cardIntent,
      confirm: true,
      payment_method_data: {
        type: 'card' as const,
        billing_details: { email },
        card: { number: '4242424242424242', exp_month: 12, exp_year: 2040 },
      },
    });
    for (const email of ['nora', 'nora@', 'nora@shop', 'nöra@shop.example', 'no ra@shop.example']) {
      expect(await errorOf(stripe.rawRequest('POST', '/v1/payment_intents', described(email)))).toMatchObject(
        {
          statusCode: 400,
          code: 'email_invalid',
          param: 'billing_details[email]',
        },
      );
    }
    await stripe.rawRequest('POST', '/v1/payment_intents', described('nora+1@mail.shop.example'));
  });

  test('an idempotency key compares decoded parameters', async () => {
    const { standIn } = await start();
    const create = async (body: string) => {
      const response = await standIn.fetch(
        new Request('http://shop.test/sandbox/stripe/v1/payment_intents', {
          method: 'POST',
          headers: { authorization: `Bearer ${standIn.secretKey}`, 'idempotency-key': 'one' },
          body,
        }),
      );
      return { status: response.status, replayed: response.headers.get('idempotent-replayed') };
    };
    expect(await create('amount=500&currency=usd&metadata[order]=7')).toEqual({
      status: 200,
      replayed: null,
    });
    expect(await create('metadata%5Border%5D=7&currency=usd&amount=500')).toMatchObject({ replayed: 'true' });
    expect(await create('amount=500&currency=usd&metadata[order]=8')).toMatchObject({ status: 400 });
  });

  test('a wrong key is rejected, and a publishable key requires the client secret', async () => {
    const { stripe, standIn } = await start();
    const { id, client_secret } = await stripe.paymentIntents.create({
      ...cardIntent,
      metadata: { order: '7' },
    });
    const wrong = createStripeClient(standIn, 'sk_test_wrong');
    expect(await errorOf(wrong.paymentIntents.list())).toMatchObject({ statusCode: 401 });
    const open = createStripeClient(standIn, standIn.publishableKey);
    expect(await errorOf(open.paymentIntents.list())).toMatchObject({ code: 'secret_key_required' });
    expect(await errorOf(open.paymentIntents.retrieve(id))).toMatchObject({
      statusCode: 400,
      code: 'payment_intent_invalid_parameter',
      param: 'client_secret',
    });
    const seen = await open.paymentIntents.retrieve(id, { client_secret: client_secret ?? '' });
    expect(seen).toMatchObject({ id, status: 'requires_payment_method' });
    expect(seen).not.toHaveProperty('metadata');
  });

  test('a card that is not a test card is declined, and a mistyped number is rejected', async () => {
    const { stripe } = await start();
    const payBy = (number: string, cvc?: string) =>
      stripe.rawRequest('POST', '/v1/payment_intents', {
        ...cardIntent,
        confirm: true,
        payment_method_data: { type: 'card', card: { number, exp_month: 12, exp_year: 2040, cvc } },
      });
    expect(await errorOf(payBy('4242424242424241'))).toMatchObject({
      statusCode: 402,
      code: 'incorrect_number',
      message: 'Your card number is incorrect.',
    });
    expect(await errorOf(payBy('4111111111111111', '123'))).toMatchObject({
      decline_code: 'test_mode_live_card',
    });
    for (const number of ['5105105105105100', '2223003122003222', '4000000000000259'])
      expect(await payBy(number, '123')).toMatchObject({ status: 'succeeded' });
    // The CVC check can only fail if a CVC was given.
    expect(await errorOf(payBy('4000000000000101', '123'))).toMatchObject({ code: 'incorrect_cvc' });
    expect(await payBy('4000000000000101')).toMatchObject({ status: 'succeeded' });
  });

  test('`fail` makes calls fail, and a key replays a lost response', async () => {
    const { stripe, standIn } = await start();
    const call = 'POST /v1/payment_intents';
    standIn.fail({ call, how: 500 });
    expect(await errorOf(stripe.paymentIntents.create(cardIntent))).toMatchObject({ statusCode: 500 });
    standIn.fail({ call, how: 429, times: 2 });
    expect(await errorOf(stripe.paymentIntents.create(cardIntent))).toMatchObject({ statusCode: 429 });
    expect(await errorOf(stripe.paymentIntents.create(cardIntent))).toMatchObject({ statusCode: 429 });
    standIn.fail({ call, how: 'unreachable' });
    const connectionFailure = await errorOf(stripe.paymentIntents.create(cardIntent));
    expect(connectionFailure).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect((await stripe.paymentIntents.list()).data).toEqual([]);
    standIn.fail({ call, how: 'timeout-after-success' });
    const options = { idempotencyKey: 'lost' };
    await errorOf(stripe.paymentIntents.create(cardIntent, options));
    const replayed = await stripe.paymentIntents.create(cardIntent, options);
    expect((await stripe.paymentIntents.list()).data).toMatchObject([{ id: replayed.id }]);
  });

  test('the account, the browser script and the frames are served', async () => {
    const { stripe, standIn } = await start();
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

/** The intent methods as plain functions. */
function bound(stripe: Stripe) {
  const intents = stripe.paymentIntents;
  return {
    create: (params: Stripe.PaymentIntentCreateParams) => intents.create(params),
    retrieve: (id: string) => intents.retrieve(id),
    confirm: (id: string) => intents.confirm(id),
  };
}

test('oversized and deeply nested forms are rejected', async ({ onTestFinished }) => {
  const db = await openTestDatabase('sqlite', onTestFinished);
  const { standIn } = await startShop(db, onTestFinished);
  const post = async (body: string) => {
    const address = 'http://shop.test/sandbox/stripe/v1/payment_intents';
    return (await standIn.fetch(new Request(address, { method: 'POST', body }))).status;
  };
  expect(await post('a[]=&'.repeat(60_000))).toBe(413);
  expect(await post('a[]=&'.repeat(10_000))).toBe(400);
  expect(await post(`type${'[b]'.repeat(20_000)}=1`)).toBe(400);
});
