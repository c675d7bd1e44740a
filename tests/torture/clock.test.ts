import { afterEach, expect, test, vi } from 'vitest';
import { askIdentity } from '../support/ask.ts';
import { engines } from '../support/database.ts';
import { buy, confirm, openPayment, placeOrder, tellPaid } from '../support/payments.ts';
import { refusal } from '../support/refusal.ts';
import { startShop } from '../support/shop.ts';

const day = 24 * 60 * 60 * 1000;

afterEach(() => {
  vi.useRealTimers();
});

test.each(engines)('a clock that is set back by two days stops nothing on %s', async (engine) => {
  // Only what the shop reads of the clock; timers run as they do on a machine whose clock is set.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * day });
  await using shop = await startShop({ engine });
  const tom = await shop.signUp();
  const product = await shop.addProduct();
  const { order: paid } = await buy(shop, tom, product);
  const open = await placeOrder(shop, tom, product);
  const opened = await openPayment(shop, tom, open);
  const lost = await placeOrder(shop, tom, product);
  shop.stripe.fail({ call: 'POST /v1/payment_intents', how: 'timeout-after-success', times: 3 });
  expect(await refusal(openPayment(shop, tom, lost))).toMatchObject({ status: 503 });
  const signIn = (password: string) => askIdentity(shop, '/sign-in/email', { email: tom.email, password });
  for (let at = 0; at < 10; at++) expect((await signIn('not-this-one')).status).toBe(401);
  expect((await signIn(tom.password)).status).toBe(429);
  // Of a process that died while it worked.
  const { db } = shop.database;
  await db
    .insertInto('lease')
    .values({ name: 'periodic work', holder: 'dead', until: Date.now() + 60_000 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ holder: 'dead' }))
    .execute();

  vi.setSystemTime(Date.now() - 2 * day);
  expect((await signIn(tom.password)).status).toBe(200);
  await confirm(shop, opened);
  await shop.doPeriodicWork();
  const orders = await shop.client(tom).call('listOwnOrders', { query: { user: tom.email } });
  expect(Object.fromEntries(orders.map(({ _id, orderStatus }) => [_id, orderStatus]))).toEqual({
    [paid._id]: 'paid',
    [open._id]: 'paid',
    [lost._id]: '',
  });
  const payment = await db
    .selectFrom('payment')
    .select('intent')
    .where('order_id', '=', lost._id)
    .executeTakeFirst();
  expect(payment?.intent).toMatch(/^pi_/);

  // Orders of before and after it are paid, deleted and counted.
  const intent = await openPayment(shop, tom, lost);
  await confirm(shop, intent);
  await tellPaid(shop, tom, lost, intent);
  const later = await placeOrder(shop, tom, product);
  await shop.client(tom).call('deleteOrder', { params: { id: later._id } });
  const { a_quantity } = await shop.client(tom).call('getProduct', { params: { id: product._id } });
  expect(a_quantity).toBe(product.a_quantity - 3);
});
