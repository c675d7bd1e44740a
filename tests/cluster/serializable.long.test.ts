import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { ApiError } from '../../web/client/api/client.ts';
import { auditBooks, auditSettled, readBooks } from '../support/auditor.ts';
import { makeTestPostgres } from '../support/database.ts';
import { confirmIntent, openPayment, placeOrder, reportPaid } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';

/** Transactions that PostgreSQL has aborted with a serialization failure (40001). */
let serializationFailures = 0;

// All statements of a pool go through this method, including `commit`.
pg.Client.prototype.query = new Proxy(pg.Client.prototype.query, {
  apply(query, client: pg.Client, args: unknown[]) {
    const result: unknown = Reflect.apply(query, client, args);
    if (result instanceof Promise)
      result.catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === '40001') serializationFailures += 1;
      });
    return result;
  },
});

/** Starts a shop on a database whose transactions are serializable by default. */
async function startSerializableShop() {
  const place = await makeTestPostgres('migrated');
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  const { pathname } = new URL(place.url);
  await client.query(`alter database ${pathname.slice(1)} set default_transaction_isolation = serializable`);
  await client.end();
  return { place, shop: await startShop({ place, rateLimits: { intentsPerUser: 1000 } }) };
}

/** The outcome of each call: `ok` or the problem's type. */
async function collectOutcomes(calls: Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((result) => {
    if (result.status === 'fulfilled') return 'ok';
    if (result.reason instanceof ApiError) return result.reason.problem.type.replace('urn:problem:', '');
    throw result.reason;
  });
}

test('with serializable isolation, conflicting orders are retried: no overselling, and one order per idempotency key', async () => {
  const { shop, place } = await startSerializableShop();
  await using _ = shop;
  const people = [await shop.signUp('Tom'), await shop.signUp('Ada'), await shop.signUp('Eve')];
  const stock = 25;
  const product = await shop.addProduct({ a_quantity: stock });
  serializationFailures = 0;
  const buyers = Array.from(
    { length: 40 },
    (_, index) => people[index % people.length] ?? expect.unreachable(),
  );
  const order = ({ email, ...person }: TestUser, key: string = randomUUID()) =>
    shop.client({ ...person, email }).call('placeOrder', {
      body: { orderId: product._id, orderQuantity: 1, price: 12.5, user: email },
      idempotencyKey: key,
    });
  const [tom = expect.unreachable()] = people;
  const ids = new Set<string>();
  const same = collectOutcomes(
    Array.from({ length: 5 }, async () => ids.add((await order(tom, 'once')).insertedId)),
  );
  const results = await collectOutcomes(buyers.map((person) => order(person)));
  // The five requests with one key order one piece, or none if the others have been faster.
  const [once = ''] = await same;
  expect(await same).toEqual(Array(5).fill(once));
  expect(ids.size).toBe(once === 'ok' ? 1 : 0);
  expect([...results, once].toSorted()).toEqual([
    ...Array(stock).fill('ok'),
    ...Array(buyers.length + 1 - stock).fill('out_of_stock'),
  ]);
  expect(auditBooks(await readBooks(place), new Map([[product._id, { stock }]]))).toEqual([]);
  expect(serializationFailures).toBeGreaterThan(0);
});

test('with serializable isolation, conflicting payments are retried: no order is paid twice, and the books balance', async () => {
  const { shop, place } = await startSerializableShop();
  await using _ = shop;
  const tom = await shop.signUp();
  const stock = 1000;
  const product = await shop.addProduct({ a_quantity: stock });
  const orders = await Promise.all(Array.from({ length: 12 }, () => placeOrder(shop, tom, product)));
  serializationFailures = 0;
  const results = await Promise.all(
    orders.map(async (order, index) => {
      const opened = await Promise.all([1, 2, 3].map(() => openPayment(shop, tom, order)));
      expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
      const [intent = expect.unreachable()] = opened;
      await confirmIntent(shop, intent);
      const remove = () => shop.client(tom).call('deleteOrder', { params: { id: order._id } });
      // The browser reports the payment twice while the webhook arrives; half of the orders are deleted at the same time.
      const reports = [reportPaid(shop, tom, order, intent), reportPaid(shop, tom, order, intent)];
      return collectOutcomes(index % 2 ? [...reports, remove()] : reports);
    }),
  );
  await shop.doPeriodicWork();
  for (const [first, second, third] of results)
    expect([first, second, third ?? 'already_paid']).toEqual(['ok', 'ok', 'already_paid']);
  const opening = new Map([[product._id, { stock }]]);
  expect(await auditSettled(place, opening)).toEqual([]);
  expect(serializationFailures).toBeGreaterThan(0);
});
