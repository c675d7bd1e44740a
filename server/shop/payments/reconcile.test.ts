import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { confirmIntent, openPayment, placeOrder } from '../../../tests/support/payments.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const getIntent = 'GET /v1/payment_intents/:id';

/** A shop without webhooks, with `count` orders whose payments have succeeded. */
async function payUnseen(shop: TestShop, count: number) {
  await shop.stripe.close();
  const person = await shop.signUp();
  const product = await shop.addProduct();
  for (let at = 0; at < count; at++)
    await confirmIntent(shop, await openPayment(shop, person, await placeOrder(shop, person, product)));
  const statuses = async () => {
    const rows = shop.database.db.selectFrom('orders').select('status').orderBy('id');
    return (await rows.execute()).map(({ status }) => status);
  };
  return { person, product, statuses };
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
    await shop.database.db.updateTable('orders').set({ hold_until: 1 }).execute();
    shop.stripe.fail({ call: getIntent, how: 'unreachable' });
    await shop.doPeriodicWork();
    // A hold without a payment ends without the provider.
    expect(await statuses()).toEqual(['', '', '', 'expired']);
    expect(await shop.client(person).call('getOrder', { params: { id: unopened._id } })).toMatchObject({
      orderStatus: 'expired',
    });
    await shop.doPeriodicWork();
    expect(await statuses()).toEqual(['paid', 'paid', 'paid', 'expired']);
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
    const payments = new Map<string, number>();
    const progress = { images: '', backInStock: '', stock: '', histories: '', words: '', salesDay: Infinity };
    const run = () => shop.doPeriodicWork({ ...progress, payments });
    const fetched = countFetches(shop);
    await run();
    expect(fetched.count).toBe(2);
    await run();
    expect(fetched.count).toBe(3);
    for (const [id, at] of payments) payments.set(id, at - 7 * 60_000);
    await run();
    expect(fetched.count).toBe(5);
    // After a restart, all are polled.
    payments.clear();
    await run();
    expect(fetched.count).toBe(7);
  });
});
