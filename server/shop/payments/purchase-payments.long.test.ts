import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { confirmIntent } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { sendEvent, succeededEvent } from '../../../tests/support/stripe-event.ts';
import {
  openPurchase,
  paidBy,
  restPaidBy,
  unpaid,
  withoutSecond,
} from '../../../tests/support/unpaid-purchase.ts';

/* The cases of `payments.test.ts`, for one payment of three orders. Holds and faults are in `purchase-faults.long.test.ts`. */

const createIntent = 'POST /v1/payment_intents';
const getIntent = 'GET /v1/payment_intents/:id';
const cancelIntent = 'POST /v1/payment_intents/:id/cancel';

describe.each(engines)('one payment for three orders on %s', (engine) => {
  test('simultaneous PATCH requests for each order, webhooks and the reconciliation pay all of them once', async () => {
    await using bought = await openPurchase(engine);
    const { shop, open, report } = bought;
    const opened = await Promise.all([open(), open(), open()]);
    const [intent] = opened;
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
    await confirmIntent(shop, intent);
    const [events, reports] = await Promise.all([
      Promise.all([1, 2].map(() => sendEvent(shop, succeededEvent(intent.id)))),
      Promise.all([0, 1, 2, 0].map((at) => report(intent, at))),
      shop.doPeriodicWork(),
    ]);
    expect(events.map(({ status }) => status)).toEqual([200, 200]);
    expect(reports.reduce((sum, { modifiedCount }) => sum + modifiedCount, 0)).toBeLessThanOrEqual(1);
    expect(await bought.read()).toEqual(paidBy(intent));
    expect(await catchProblem(open())).toMatchObject({ type: 'urn:problem:already_paid' });
    expect(await catchProblem(bought.remove(1))).toMatchObject({ type: 'urn:problem:already_paid' });
    await bought.expectBalanced();
  });

  test('a second payment is refunded, even if the first refund request fails', async () => {
    await using bought = await openPurchase(engine);
    const { shop, report } = bought;
    const intent = await bought.open();
    await confirmIntent(shop, intent);
    await report(intent);
    const second = await bought.addPayment(6253);
    await confirmIntent(shop, second);
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 429 });
    expect(await catchProblem(report(second))).toMatchObject({ type: 'urn:problem:already_paid' });
    for (let run = 0; run < 3; run++) await shop.doPeriodicWork();
    const after = { ...paidBy(intent), intents: ['succeeded 6253', 'succeeded 6253'], refunded: [6253] };
    expect(await bought.read()).toEqual(after);
    await bought.expectBalanced();
  });

  test('a payment of the total from before an order was deleted is refunded, and the rest stays payable', async () => {
    await using bought = await openPurchase(engine);
    const { shop } = bought;
    await bought.open();
    await bought.remove(1);
    const late = await bought.addPayment(6253, { state: 'cancelled' });
    await confirmIntent(shop, late);
    expect((await sendEvent(shop, succeededEvent(late.id))).status).toBe(200);
    const refunded = { intents: ['canceled 6253', 'succeeded 6253'], refunded: [6253] };
    expect(await bought.read()).toEqual({ ...withoutSecond, ...refunded });
    const intent = await bought.open();
    await confirmIntent(shop, intent);
    await bought.report(intent, 2);
    const intents = [...refunded.intents, 'succeeded 4750'];
    expect(await bought.read()).toEqual({ ...restPaidBy(intent), ...refunded, intents });
    await bought.expectBalanced();
  });

  test.each([
    ['a payment of a cent less', 6253, 6252],
    ['a payment of a cent more', 6253, 6254],
    ['a payment of only the first order’s price', 4000, 4000],
    ['a payment of the total that was recorded as a cent less', 6252, 6253],
  ])('%s pays no order and is refunded', async (_, amount, charged) => {
    await using bought = await openPurchase(engine);
    const { shop } = bought;
    const wrong = await bought.addPayment(amount, { charged });
    await confirmIntent(shop, wrong);
    expect(await catchProblem(bought.report(wrong))).toMatchObject({
      status: 409,
      detail: expect.stringContaining('is being refunded'),
    });
    const after = { ...unpaid, intents: [`succeeded ${charged}`], refunded: [charged] };
    expect(await bought.read()).toEqual(after);
    await bought.expectBalanced();
  });

  test('an event pays every order if the browser dies, and a later PATCH for any of them succeeds', async () => {
    await using bought = await openPurchase(engine);
    const { shop } = bought;
    const intent = await bought.open();
    await confirmIntent(shop, intent);
    expect(await bought.read()).toEqual({ ...unpaid, intents: ['succeeded 6253'] });
    expect((await sendEvent(shop, succeededEvent(intent.id))).status).toBe(200);
    expect(await bought.read()).toEqual(paidBy(intent));
    for (const at of [2, 0, 1]) expect(await bought.report(intent, at)).toMatchObject({ modifiedCount: 0 });
    await bought.expectBalanced();
  });

  test('the reconciliation pays every order if the browser dies and no event arrives', async () => {
    await using bought = await openPurchase(engine);
    const intent = await bought.open();
    await confirmIntent(bought.shop, intent);
    await bought.endHold();
    await bought.shop.doPeriodicWork();
    expect(await bought.read()).toEqual(paidBy(intent));
    await bought.expectBalanced();
  });

  test('the total drops only after the provider has cancelled the open intent', async () => {
    await using bought = await openPurchase(engine);
    const { shop } = bought;
    await bought.open();
    const during: unknown[] = [];
    const meanwhile = async () => void during.push(await bought.read());
    shop.stripe.fail({ call: cancelIntent, how: 'slow', meanwhile });
    expect(await bought.remove(1)).toEqual({ deletedCount: 1 });
    expect(during).toEqual([unpaid]);
    expect(await bought.read()).toEqual(withoutSecond);
    const intent = await bought.open();
    await confirmIntent(shop, intent);
    await bought.report(intent);
    expect(await bought.read()).toEqual(restPaidBy(intent));
    await bought.expectBalanced();
  });

  test('DELETE returns 409 for each order if the purchase is paid while its intent is being cancelled', async () => {
    await using bought = await openPurchase(engine);
    const { shop } = bought;
    const intent = await bought.open();
    const meanwhile = () => confirmIntent(shop, intent);
    shop.stripe.fail({ call: cancelIntent, how: 'slow', meanwhile });
    for (const at of [0, 1, 2])
      expect(await catchProblem(bought.remove(at))).toMatchObject({ type: 'urn:problem:already_paid' });
    expect(await bought.read()).toEqual(paidBy(intent));
    await bought.expectBalanced();
  });

  test('a request to pay for all orders gets no intent for a different amount if one of them is deleted meanwhile', async () => {
    await using bought = await openPurchase(engine);
    await bought.open();
    bought.shop.stripe.fail({ call: getIntent, how: 'slow', meanwhile: () => bought.remove(1) });
    expect(await catchProblem(bought.open())).toMatchObject({
      status: 409,
      type: 'urn:problem:price_changed',
      data: { price: 47.5 },
    });
    expect(await bought.read()).toEqual(withoutSecond);
  });

  test('two orders deleted at once return their stock, and the third stays payable', async () => {
    await using bought = await openPurchase(engine);
    await bought.open();
    await Promise.all([bought.remove(0), bought.remove(1)]);
    const intent = await bought.open();
    await confirmIntent(bought.shop, intent);
    await bought.report(intent, 2);
    expect(await bought.read()).toEqual({
      price: 7.5,
      orders: [`paid by ${intent.id}`],
      stock: [10, 10, 9],
      intents: ['canceled 6253', 'succeeded 750'],
      refunded: [],
    });
    await bought.expectBalanced();
  });

  test.each([
    ['one order', [1]],
    ['every order', [0, 1, 2]],
  ])('%s deleted while the intent is being created leaves only a cancelled intent', async (_, deleted) => {
    await using bought = await openPurchase(engine);
    const { shop, person } = bought;
    const deleting: Promise<unknown>[] = [];
    const meanwhile = async () => void deleting.push(...deleted.map(bought.remove));
    shop.stripe.fail({ call: createIntent, how: 'slow', meanwhile });
    await bought.open().catch(() => undefined);
    await Promise.all(deleting);
    if (deleted.length === 1) {
      expect(await bought.read()).toEqual(withoutSecond);
      const intent = await bought.open();
      await confirmIntent(shop, intent);
      await bought.report(intent, 2);
      expect(await bought.read()).toEqual(restPaidBy(intent));
    } else {
      expect(await catchProblem(bought.getPurchase())).toMatchObject({ status: 404 });
      expect(await shop.client(person).call('listOwnOrders', { query: { user: person.email } })).toEqual([]);
    }
    await bought.expectBalanced();
  });
});
