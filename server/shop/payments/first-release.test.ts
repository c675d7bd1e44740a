import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openPayment, placeOrder } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import type { Tx } from '../../database/schema.ts';

/* During a rolling upgrade on PostgreSQL, the first release also writes, and locks orders instead of purchases. */

const lockOrder = (tx: Tx, id: string) =>
  sql`update orders set hold_until = hold_until where id = ${id}`.execute(tx);

async function waitForLock({ database }: TestShop): Promise<void> {
  const isWaiting = async () =>
    (
      await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db)
    ).rows.length > 0;
  await expect.poll(isWaiting).toBe(true);
}

test('a payment that the first release is opening is used, not opened twice', async () => {
  await using shop = await startShop({ engine: 'postgres' });
  const tom = await shop.signUp();
  const order = await placeOrder(shop, tom, await shop.addProduct());
  const { opening } = await shop.database.db.transaction().execute(async (tx) => {
    await lockOrder(tx, order._id);
    const opening = openPayment(shop, tom, order);
    await waitForLock(shop);
    const row = { id: 'theirs', order_id: order._id, attempt: 1, amount: 1250, currency: 'USD' };
    await tx
      .insertInto('payment')
      .values({ ...row, intent: null, state: 'open', created_at: Date.now() })
      .execute();
    return { opening };
  });
  const { id } = await opening;
  const payments = await shop.database.db.selectFrom('payment').select(['id', 'intent']).execute();
  expect(payments).toEqual([{ id: 'theirs', intent: id }]);
});

test('the stock of an order that the first release is deleting is returned once', async () => {
  await using shop = await startShop({ engine: 'postgres' });
  const tom = await shop.signUp();
  const product = await shop.addProduct({ a_quantity: 10 });
  const order = await placeOrder(shop, tom, product, 2);
  const { deleting } = await shop.database.db.transaction().execute(async (tx) => {
    await lockOrder(tx, order._id);
    await sql`update product set available = available + 2 where id = ${product._id}`.execute(tx);
    const deleting = catchProblem(shop.client(tom).call('deleteOrder', { params: { id: order._id } }));
    await waitForLock(shop);
    await tx.deleteFrom('orders').where('id', '=', order._id).execute();
    return { deleting };
  });
  expect(await deleting).toMatchObject({ status: 404 });
  const { a_quantity } = await shop.client(tom).call('getProduct', { params: { id: product._id } });
  expect(a_quantity).toBe(10);
});
