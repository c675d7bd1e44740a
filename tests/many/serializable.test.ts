import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { ApiError } from '../../web/client/client.ts';
import type { Person } from '../support/ask.ts';
import { auditBooks, auditMoney, readBooks } from '../support/auditor.ts';
import { makeDatabase } from '../support/database.ts';
import { confirm, openPayment, placeOrder, tellPaid } from '../support/payments.ts';
import { startShop } from '../support/shop.ts';

/** How often the database has said that a transaction met another one. */
let met = 0;

// Every statement of a pool passes here, `commit` too.
pg.Client.prototype.query = new Proxy(pg.Client.prototype.query, {
  apply(query, client: pg.Client, given: unknown[]) {
    const asked: unknown = Reflect.apply(query, client, given);
    if (asked instanceof Promise)
      asked.catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === '40001') met += 1;
      });
    return asked;
  },
});

/** A shop on a database whose transactions are serializable by default. */
async function makeShop() {
  const { place, drop } = await makeDatabase('postgres');
  onTestFinished(drop);
  if (!('url' in place)) return expect.unreachable();
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  const { pathname } = new URL(place.url);
  await client.query(`alter database ${pathname.slice(1)} set default_transaction_isolation = serializable`);
  await client.end();
  return { place, shop: await startShop({ place, rateLimits: { intentsPerUser: 1000 } }) };
}

/** What became of each: `yes`, or the type of the refusal. */
async function outcomes(calls: Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((one) => {
    if (one.status === 'fulfilled') return 'yes';
    if (one.reason instanceof ApiError) return one.reason.problem.type.replace('urn:problem:', '');
    throw one.reason;
  });
}

test('where transactions are serializable, orders that meet run again: the last pieces are sold once, one key is one order', async () => {
  const { shop, place } = await makeShop();
  await using _ = shop;
  const people = [await shop.signUp('Tom'), await shop.signUp('Ada'), await shop.signUp('Eve')];
  const stock = 25;
  const product = await shop.addProduct({ a_quantity: stock });
  met = 0;
  const wishes = Array.from({ length: 40 }, (_, at) => people[at % people.length] ?? expect.unreachable());
  const order = ({ email, ...person }: Person, key: string = randomUUID()) =>
    shop.client({ ...person, email }).call('placeOrder', {
      body: { orderId: product._id, orderQuantity: 1, price: 12.5, user: email },
      idempotencyKey: key,
    });
  const [tom = expect.unreachable()] = people;
  const same = Promise.all(Array.from({ length: 5 }, () => order(tom, 'once')));
  const answers = await outcomes(wishes.map((person) => order(person)));
  expect(new Set((await same).map(({ insertedId }) => insertedId)).size).toBe(1);
  expect(Object.groupBy(answers, (answer) => answer)).toMatchObject({
    yes: Array(stock - 1).fill('yes'),
    out_of_stock: Array(wishes.length - stock + 1).fill('out_of_stock'),
  });
  expect(auditBooks(await readBooks(place), new Map([[product._id, { stock }]]))).toEqual([]);
  expect(met).toBeGreaterThan(0);
});

test('where transactions are serializable, payments that meet run again: an order is paid once or gone, and its money is where it belongs', async () => {
  const { shop, place } = await makeShop();
  await using _ = shop;
  const tom = await shop.signUp();
  const stock = 1000;
  const product = await shop.addProduct({ a_quantity: stock });
  const orders = await Promise.all(Array.from({ length: 12 }, () => placeOrder(shop, tom, product)));
  met = 0;
  const answers = await Promise.all(
    orders.map(async (order, at) => {
      const opened = await Promise.all([1, 2, 3].map(() => openPayment(shop, tom, order)));
      expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
      const [intent = expect.unreachable()] = opened;
      await confirm(shop, intent);
      const remove = () => shop.client(tom).call('deleteOrder', { params: { id: order._id } });
      // The browser says it twice, the provider's event says it, and some want the order to be gone.
      const told = [tellPaid(shop, tom, order, intent), tellPaid(shop, tom, order, intent)];
      return outcomes(at % 2 ? [...told, remove()] : told);
    }),
  );
  await shop.doPeriodicWork();
  for (const [first, second, third] of answers)
    expect([first, second, third ?? 'already_paid']).toEqual(['yes', 'yes', 'already_paid']);
  const books = await readBooks(place);
  const opening = new Map([[product._id, { stock }]]);
  expect([...auditBooks(books, opening), ...auditMoney(books)]).toEqual([]);
  expect(met).toBeGreaterThan(0);
});
