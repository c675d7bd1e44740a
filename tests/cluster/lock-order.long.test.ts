import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import type { Tx } from '../../server/database/schema.ts';
import { findUserId } from '../../server/shop/users/find-users.ts';
import { makeTestPostgres } from '../support/database.ts';
import { buy, placeOrder, refundOrder } from '../support/payments.ts';
import { catchProblem } from '../support/problem.ts';
import type { TestUser } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { waitUntil } from '../support/wait.ts';

/** Starts a shop whose database does not resolve deadlocks, so that deadlocked requests never end. */
async function startStrictShop(
  settings: Record<string, string> = { UNPAID_ORDERS_PER_PERSON: '20' },
): Promise<TestShop> {
  const place = await makeTestPostgres('migrated');
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  await client.query(`alter database ${client.database} set deadlock_timeout = '1h'`);
  // PostgreSQL scans a table for a statement about many rows, which locks them in their order on disk. Without index scans, it
  // does so for the few rows of these tests.
  await client.query(`alter database ${client.database} set enable_indexscan = off`);
  await client.end();
  return startShop({ place, settings });
}

/** Takes `lock`, then sends the requests. Each request is sent once the request before it waits for a lock. */
async function sendWhileLocked(
  { database: { db, transaction } }: TestShop,
  lock: (tx: Tx) => Promise<unknown>,
  requests: (() => Promise<unknown>)[],
): Promise<unknown[]> {
  const waiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const sent: Promise<unknown>[] = [];
  await transaction(async (tx) => {
    await lock(tx);
    for (const request of requests) {
      sent.push(request());
      await waitUntil(async () => expect((await waiting.execute(db)).rows).toHaveLength(sent.length));
    }
  });
  return Promise.all(sent);
}

const deleteUser = (shop: TestShop, person: TestUser) => {
  const { email, password } = person;
  return shop.client(person).call('deleteUser', { params: { email }, body: { password } });
};

/** A lock for `sendWhileLocked`. */
const lockProduct = (id: string) => (tx: Tx) =>
  tx.updateTable('product').set({ name: 'Pivot Gauge' }).where('id', '=', id).execute();

test('an edit of a rating while its author deletes the account causes no deadlock', async () => {
  await using shop = await startStrictShop();
  const [tom, product] = [await shop.signUp(), await shop.addProduct()];
  await placeOrder(shop, tom, product);
  await shop.database.db.updateTable('user').set({ emailVerified: true }).execute();
  const { insertedId: id } = await shop.client(tom).call('addReview', {
    body: { product: product._id, rating: 3, reviews: 'It measures pivots.', img: product.img },
  });
  const edit = () =>
    catchProblem(shop.client(tom).call('editReview', { params: { id }, body: { rating: 5 } }));
  const [, edited] = await sendWhileLocked(shop, lockProduct(product._id), [
    () => deleteUser(shop, tom),
    edit,
  ]);
  expect(edited).toMatchObject({ status: 404 });
}, 30_000);

/** An admin with two products, the second of which comes first on disk, and a customer's order of both. */
async function addProducts(shop: TestShop) {
  const [admin, tom] = [await shop.admin(), await shop.signUp()];
  await shop.admin();
  const products = [await shop.addProduct(), await shop.addProduct()];
  const { db } = shop.database;
  const user_id = (await findUserId(db, admin.email)) ?? expect.unreachable();
  // An update of an indexed column moves the row to the end of the table.
  for (const { _id } of products.toReversed())
    await db.updateTable('product').set({ user_id }).where('id', '=', _id).execute();
  const [{ _id } = expect.unreachable()] = products;
  const body = { lines: products.map(({ _id: orderId }) => ({ orderId, orderQuantity: 1 })), price: 25 };
  return { admin, lock: lockProduct(_id), order: () => shop.client(tom).call('placePurchase', { body }) };
}

test('an order of products whose admin deletes the account causes no deadlock', async () => {
  await using shop = await startStrictShop();
  const { admin, lock, order } = await addProducts(shop);
  await sendWhileLocked(shop, lock, [order, () => deleteUser(shop, admin)]);
  expect(await shop.database.db.selectFrom('product').select('user_id').distinct().execute()).toEqual([
    { user_id: null },
  ]);
}, 30_000);

test('a customer who orders while deleting their account causes no deadlock, without a limit on unpaid orders', async () => {
  await using shop = await startStrictShop({});
  const tom = await shop.signUp();
  const [product, other] = [await shop.addProduct(), await shop.addProduct()];
  await placeOrder(shop, tom, product);
  const place = () =>
    shop.client(tom).call('placePurchase', {
      body: { lines: [product, other].map(({ _id }) => ({ orderId: _id, orderQuantity: 1 })), price: 25 },
    });
  await sendWhileLocked(shop, lockProduct(product._id), [place, () => deleteUser(shop, tom)]);
  expect(await shop.database.db.selectFrom('order_line').select('id').execute()).toEqual([]);
});

test('an order that is refunded while its customer deletes the account causes no deadlock', async () => {
  await using shop = await startStrictShop({});
  // A webhook about the refund would wait for the lock, too.
  await shop.stripe.close();
  const [admin, tom, product] = [await shop.admin(), await shop.signUp(), await shop.addProduct()];
  const { order } = await buy(shop, tom, product);
  await placeOrder(shop, tom, product);
  const refund = () =>
    refundOrder(shop.client(admin), {
      params: { id: order._id },
      body: { reason: 'other', restock: 1 },
    });
  // The deletion changes the purchase's version: if it comes first, the admin tries again.
  const refundWithRetry = () => refund().catch(refund);
  await sendWhileLocked(shop, lockProduct(product._id), [() => deleteUser(shop, tom), refundWithRetry]);
  const { a_quantity } = await shop.client(admin).call('getProduct', { params: { id: product._id } });
  expect(a_quantity).toBe(10);
});
