import pg from 'pg';
import { expect, test } from 'vitest';
import { findUserId } from '../../server/shop/users/find-users.ts';
import { makeTestPostgres } from '../support/database.ts';
import { placeOrder } from '../support/payments.ts';
import { catchProblem } from '../support/problem.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { deleteUser, lockProduct, sendWhileLocked } from './locked-requests.ts';

/** Starts a shop whose database does not resolve deadlocks, so that deadlocked requests never end. */
async function startStrictShop(): Promise<TestShop> {
  const place = await makeTestPostgres();
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  await client.query(`alter database ${client.database} set deadlock_timeout = '1h'`);
  // Without index scans, a statement locks rows in their order on disk, as one about many rows would.
  await client.query(`alter database ${client.database} set enable_indexscan = off`);
  await client.end();
  return startShop({ place, settings: { UNPAID_ORDERS_PER_PERSON: '20' } });
}

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
