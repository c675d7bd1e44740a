import { afterEach, expect, test, vi } from 'vitest';
import { engines } from '../support/database.ts';
import { buy, confirmIntent, openPayment, placeOrder, reportPaid } from '../support/payments.ts';
import { catchProblem } from '../support/problem.ts';
import { sendAuthRequest } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';

const day = 24 * 60 * 60 * 1000;

afterEach(() => {
  vi.useRealTimers();
});

test.each(engines)('setting the clock back by two days blocks nothing on %s', async (engine) => {
  // Timers keep running, as on a machine whose clock is changed.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * day });
  await using shop = await startShop({ engine });
  const tom = await shop.signUp();
  const product = await shop.addProduct();
  const { order: paid } = await buy(shop, tom, product);
  const open = await placeOrder(shop, tom, product);
  const opened = await openPayment(shop, tom, open);
  const lost = await placeOrder(shop, tom, product);
  shop.stripe.fail({ call: 'POST /v1/payment_intents', how: 'timeout-after-success', times: 2 });
  expect(await catchProblem(openPayment(shop, tom, lost))).toMatchObject({ status: 503 });
  const signIn = (password: string) =>
    sendAuthRequest(shop, '/sign-in/email', { email: tom.email, password });
  for (let index = 0; index < 10; index++) expect((await signIn('not-this-one')).status).toBe(401);
  expect((await signIn(tom.password)).status).toBe(429);
  // The lease of a process that died during its periodic work.
  const { db } = shop.database;
  await db
    .insertInto('lease')
    .values({ name: 'periodic work', holder: 'dead', until: Date.now() + 60_000 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ holder: 'dead' }))
    .execute();

  vi.setSystemTime(Date.now() - 2 * day);
  expect((await signIn(tom.password)).status).toBe(200);
  await confirmIntent(shop, opened);
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
    .where('purchase_id', '=', lost._id)
    .executeTakeFirst();
  expect(payment?.intent).toMatch(/^pi_/);

  // Orders from before and after the change can be paid, deleted and counted.
  const intent = await openPayment(shop, tom, lost);
  await confirmIntent(shop, intent);
  await reportPaid(shop, tom, lost, intent);
  const later = await placeOrder(shop, tom, product);
  await shop.client(tom).call('deleteOrder', { params: { id: later._id } });
  const { a_quantity } = await shop.client(tom).call('getProduct', { params: { id: product._id } });
  expect(a_quantity).toBe(product.a_quantity - 3);
});
