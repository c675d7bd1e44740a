import { describe, expect, test, vi } from 'vitest';
import { withDatabases } from '../../../tests/support/auditor.ts';
import { engines } from '../../../tests/support/database.ts';
import { confirmIntent } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import type { TestShop } from '../../../tests/support/shop.ts';
import {
  expired,
  openPurchase,
  paidBy,
  restPaidBy,
  unpaid,
  withoutSecond,
} from '../../../tests/support/unpaid-purchase.ts';

/* Three orders with one payment, while their hold ends or the provider fails. */

const calls = {
  create: 'POST /v1/payment_intents',
  get: 'GET /v1/payment_intents/:id',
  cancel: 'POST /v1/payment_intents/:id/cancel',
  refund: 'POST /v1/refunds',
};

const unreachable = { status: 503, type: 'urn:problem:provider_unreachable' };
const processing = { status: 409, type: 'urn:problem:payment_processing' };

describe.each(engines)('the hold of three orders on %s', (engine) => {
  test('ends while the card is charged: all are paid if the charge came first', async () => {
    await using bought = await openPurchase(engine);
    const { shop } = bought;
    const intent = await bought.open();
    await bought.endHold();
    shop.stripe.fail({ call: calls.cancel, how: 'slow', meanwhile: () => confirmIntent(shop, intent) });
    await shop.doPeriodicWork();
    expect(await bought.read()).toEqual(paidBy(intent));
    expect(await bought.report(intent, 1)).toMatchObject({ modifiedCount: 0 });
    await bought.expectBalanced();
  });

  test('ends before the card is charged: the card cannot be charged, and nothing can be paid any more', async () => {
    await using bought = await openPurchase(engine);
    const { shop } = bought;
    const intent = await bought.open();
    await bought.endHold();
    await shop.doPeriodicWork();
    expect(await confirmIntent(shop, intent)).toMatchObject({
      error: { code: 'payment_intent_unexpected_state' },
    });
    expect(await bought.read()).toEqual(expired);
    await bought.expectBalanced();
    expect(await catchProblem(bought.open())).toMatchObject({ type: 'urn:problem:order_expired' });
    await bought.remove(1);
    expect(await catchProblem(bought.open())).toMatchObject({ type: 'urn:problem:order_expired' });
    expect(await bought.read()).toEqual({
      ...expired,
      price: 47.5,
      orders: ['expired', 'expired'],
    });
    await bought.expectBalanced();
  });

  test('does not end while the payment is processing, and none of the orders can be deleted', async () => {
    await using bought = await openPurchase(engine);
    const { shop } = bought;
    const intent = await bought.open();
    shop.stripe.fail({ call: 'POST /v1/payment_intents/:id/confirm', how: 'processing' });
    await confirmIntent(shop, intent);
    for (const at of [0, 1, 2]) expect(await catchProblem(bought.remove(at))).toMatchObject(processing);
    expect(await catchProblem(bought.open())).toMatchObject(processing);
    await bought.endHold();
    await shop.doPeriodicWork();
    expect(await bought.read()).toEqual({ ...unpaid, intents: ['processing 6253'] });
    await shop.stripe.finish(intent.id);
    await shop.doPeriodicWork();
    expect(await bought.read()).toEqual(paidBy(intent));
    await bought.expectBalanced();
  });
});

/** `times` is the number of attempts that the provider's client makes in a request. In the periodic work, it makes one. */
const faults = [
  { how: 500, times: 2 },
  { how: 429, times: 1 },
  { how: 'unreachable', times: 2 },
  { how: 'timeout-after-success', times: 2 },
] as const;

// After every fault but 429, the provider's client pauses and retries, which is slow. So only 429 is tested on both engines.
const cases = faults.flatMap((fault) =>
  engines
    .filter((engine) => engine === 'sqlite' || fault.how === 429)
    .map((engine) => ({ engine, ...fault })),
);

// These tests mostly wait for the client's retries.
vi.setConfig({ maxConcurrency: 10 });

describe.concurrent.each(cases)(
  'three orders on $engine while the provider fails with $how',
  ({ engine, how, times }) => {
    test('to create the intent: nothing changes, and a retry creates only one intent', async () => {
      await using bought = await openPurchase(engine);
      const { shop } = bought;
      shop.stripe.fail({ call: calls.create, how, times });
      expect(await catchProblem(bought.open())).toMatchObject(unreachable);
      const intents = how === 'timeout-after-success' ? unpaid.intents : [];
      expect(await bought.read()).toEqual({ ...unpaid, intents });
      const intent = await bought.open();
      await confirmIntent(shop, intent);
      await bought.report(intent);
      expect(await bought.read()).toEqual(paidBy(intent));
      await bought.expectBalanced();
    });

    test('to create the intent, without a retry: one order can be deleted, and the others expire', async () => {
      await using bought = await openPurchase(engine);
      const { shop } = bought;
      shop.stripe.fail({ call: calls.create, how, times });
      await catchProblem(bought.open());
      expect(await bought.remove(1)).toEqual({ deletedCount: 1 });
      expect(await bought.read()).toEqual(withoutSecond);
      await bought.endHold();
      await shop.doPeriodicWork();
      expect(await bought.read()).toEqual({
        ...withoutSecond,
        orders: ['expired', 'expired'],
        stock: [10, 10, 10],
      });
      await bought.expectBalanced();
    });

    test('to return the intent: PATCH changes nothing, and the reconciliation pays every order', async () => {
      await using bought = await openPurchase(engine);
      const { shop } = bought;
      const intent = await bought.open();
      await confirmIntent(shop, intent);
      shop.stripe.fail({ call: calls.get, how, times });
      expect(await catchProblem(bought.report(intent, 2))).toMatchObject(unreachable);
      expect(await bought.read()).toEqual({ ...unpaid, intents: ['succeeded 6253'] });
      await shop.doPeriodicWork();
      expect(await bought.read()).toEqual(paidBy(intent));
      await bought.expectBalanced();
    });

    test('to cancel the intent: the order stays and the total is the same until the cancellation is confirmed', async () => {
      await using bought = await openPurchase(engine);
      const { shop } = bought;
      await bought.open();
      shop.stripe.fail({ call: calls.cancel, how, times });
      expect(await catchProblem(bought.remove(1))).toMatchObject(unreachable);
      const intents = how === 'timeout-after-success' ? ['canceled 6253'] : unpaid.intents;
      expect(await bought.read()).toEqual({ ...unpaid, intents });
      expect(await bought.remove(1)).toEqual({ deletedCount: 1 });
      expect(await bought.read()).toEqual(withoutSecond);
      const intent = await bought.open();
      await confirmIntent(shop, intent);
      await bought.report(intent);
      expect(await bought.read()).toEqual(restPaidBy(intent));
      await bought.expectBalanced();
    });

    test('to cancel the intent of an ended hold: all the stock is held until the cancellation is confirmed', async () => {
      await using bought = await openPurchase(engine);
      const { shop } = bought;
      await bought.open();
      await bought.endHold();
      shop.stripe.fail({ call: calls.cancel, how });
      await shop.doPeriodicWork();
      const intents = how === 'timeout-after-success' ? ['canceled 6253'] : unpaid.intents;
      expect(await bought.read()).toEqual({ ...unpaid, intents });
      await shop.doPeriodicWork();
      expect(await bought.read()).toEqual(expired);
      await bought.expectBalanced();
    });

    test('to refund a second payment: the reconciliation refunds it once, and the orders stay paid', async () => {
      await using bought = await openPurchase(engine);
      const { shop } = bought;
      const intent = await bought.open();
      await confirmIntent(shop, intent);
      await bought.report(intent);
      await confirmIntent(shop, await bought.addPayment(6253));
      shop.stripe.fail({ call: calls.refund, how });
      await shop.doPeriodicWork();
      await shop.doPeriodicWork();
      const twice = ['succeeded 6253', 'succeeded 6253'];
      expect(await bought.read()).toEqual({ ...paidBy(intent), intents: twice, refunded: [6253] });
      await bought.expectBalanced();
    });
  },
);

describe.each(engines)('on %s, an intent that the provider does not know', (engine) => {
  const forget = ({ config }: TestShop, { id }: { id: string }) =>
    withDatabases(config.database, ({ provider }) =>
      provider.deleteFrom('stripe_object').where('id', '=', id).execute(),
    );

  async function openUnknown(options: Parameters<typeof openPurchase>[1] = {}) {
    const bought = await openPurchase(engine, options);
    const intent = await bought.open();
    await forget(bought.shop, intent);
    return { bought, intent };
  }

  test('counts as cancelled for a new payment, a deletion and the end of the hold, if it was made with our account', async () => {
    const { bought, intent } = await openUnknown();
    await using _ = bought;
    const another = await bought.open();
    expect(another.id).not.toBe(intent.id);
    await forget(bought.shop, another);
    await bought.remove(1);
    expect(await bought.read()).toMatchObject({ orders: ['', ''], stock: [8, 10, 9] });
    const third = await bought.open();
    await forget(bought.shop, third);
    await bought.endHold();
    await bought.shop.doPeriodicWork();
    expect(await bought.read()).toMatchObject({ orders: ['expired', 'expired'], stock: [10, 10, 10] });
  });

  test('changes nothing if it was made with another account: the message names the payment', async () => {
    const { bought, intent } = await openUnknown({ allowErrorLogs: true });
    await using _ = bought;
    const { db } = bought.shop.database;
    for (const account of ['acct_former', null]) {
      await db.updateTable('payment').set({ account }).execute();
      const problem = { ...unreachable, detail: expect.stringContaining(intent.id) };
      expect(await catchProblem(bought.open())).toMatchObject(problem);
      expect(await catchProblem(bought.remove(1))).toMatchObject(problem);
    }
    await bought.endHold();
    await bought.shop.doPeriodicWork();
    expect(await bought.read()).toMatchObject({ orders: ['', '', ''], stock: [8, 7, 9] });
  });
});
