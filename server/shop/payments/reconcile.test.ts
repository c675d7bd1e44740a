import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { confirmIntent, openPayment, placeOrder, requestStripe } from '../../../tests/support/payments.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { createPaymentProgress } from './reconcile.ts';

const getIntent = 'GET /v1/payment_intents/:id';

const idle = { images: '', backInStock: '', stock: '', histories: '', words: '', salesDay: Infinity };

/** A shop without webhooks, with `count` orders whose payments have succeeded. */
async function payUnseen(shop: TestShop, count: number) {
  await shop.stripe.close();
  const person = await shop.signUp();
  const product = await shop.addProduct();
  const intents = [];
  for (let index = 0; index < count; index++) {
    const intent = await openPayment(shop, person, await placeOrder(shop, person, product));
    await confirmIntent(shop, intent);
    intents.push(intent.id);
  }
  const statuses = async () => {
    const rows = shop.database.db.selectFrom('order_line').select('status').orderBy('id');
    return (await rows.execute()).map(({ status }) => status);
  };
  return { person, product, intents, statuses };
}

/** Counts the provider's answers to requests for an intent. */
function countFetches(shop: TestShop): { readonly count: number } {
  const fetched = { count: 0 };
  const meanwhile = async () => {
    fetched.count += 1;
  };
  shop.stripe.fail({ call: getIntent, how: 'slow', times: 1000, meanwhile });
  return fetched;
}

describe.each(engines)('on %s', (engine) => {
  test('a provider that does not answer is called once in a run of the periodic work', async () => {
    await using shop = await startShop({ engine });
    const { person, product, statuses } = await payUnseen(shop, 3);
    const unopened = await placeOrder(shop, person, product);
    await shop.database.db.updateTable('purchase').set({ hold_until: 1 }).execute();
    shop.stripe.fail({ call: getIntent, how: 'unreachable' });
    await shop.doPeriodicWork();
    // A hold without a payment ends although the provider does not answer.
    expect(await statuses()).toEqual(['', '', '', 'expired']);
    expect(await shop.client(person).call('getOrder', { params: { id: unopened._id } })).toMatchObject({
      orderStatus: 'expired',
    });
    await shop.doPeriodicWork();
    expect(await statuses()).toEqual(['paid', 'paid', 'paid', 'expired']);
  });

  test('other payments are settled and refunds are read, although the calls for two payments always time out', async () => {
    await using shop = await startShop({ engine });
    const { person, intents, statuses } = await payUnseen(shop, 4);
    const payments = createPaymentProgress();
    const run = () => shop.doPeriodicWork({ ...idle, payments });
    for (const id of intents.slice(0, 2))
      shop.stripe.fail({ call: getIntent, how: 'unreachable', id, times: 1000 });
    await run();
    expect(await statuses()).toEqual(['', '', '', '']);
    // The call for the second payment times out, too.
    await run();
    expect(await statuses()).toEqual(['', '', '', '']);
    await run();
    expect(await statuses()).toEqual(['', '', 'paid', 'paid']);
    await requestStripe(shop, 'POST', '/refunds', { payment_intent: intents[3] ?? '', amount: '100' });
    await run();
    const orders = await shop.client(person).call('listOwnOrders', { query: { user: person.email } });
    expect(orders.map(({ refunded }) => refunded).toSorted()).toEqual([0, 0, 0, 1]);
    // Each run tries another of these two payments first.
    expect(payments.unanswered.size).toBe(2);
    const [last] = payments.unanswered;
    await run();
    expect([...payments.unanswered].at(-1)).toBe(last);
  });

  test('if the provider fails for one payment, the others are settled', async () => {
    await using shop = await startShop({ engine });
    const { statuses } = await payUnseen(shop, 2);
    shop.stripe.fail({ call: getIntent, how: 500 });
    await shop.doPeriodicWork();
    expect(await statuses()).toEqual(['', 'paid']);
  });

  test('a payment is polled less often as it ages', async () => {
    await using shop = await startShop({ engine });
    await shop.stripe.close();
    const person = await shop.signUp();
    const product = await shop.addProduct();
    const open = async () => openPayment(shop, person, await placeOrder(shop, person, product));
    const [old] = [await open(), await open()];
    const age = (ms: number) =>
      shop.database.db
        .updateTable('payment')
        .set({ created_at: Date.now() - ms })
        .where('intent', '=', old.id)
        .execute();
    await age(3 * 3_600_000);
    const payments = createPaymentProgress();
    const run = () => shop.doPeriodicWork({ ...idle, payments });
    const fetched = countFetches(shop);
    await run();
    expect(fetched.count).toBe(2);
    await run();
    expect(fetched.count).toBe(3);
    const { pollTimes } = payments;
    for (const [id, at] of pollTimes) pollTimes.set(id, at - 7 * 60_000);
    await run();
    expect(fetched.count).toBe(5);
    // After a restart, all are polled.
    pollTimes.clear();
    await run();
    expect(fetched.count).toBe(7);
  });
});
