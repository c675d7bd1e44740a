import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import { expect, test } from 'vitest';
import { buy, refundOrder } from '../../../../tests/support/payments.ts';
import { startShop } from '../../../../tests/support/shop.ts';
import type { Tx } from '../../../database/schema.ts';
import { lockPurchase } from '../../orders/queries.ts';

/** An order of 25.00 with a refund of 5.00 that has succeeded at the provider; here it is still pending. */
async function startSyncShop() {
  const shop = await startShop({ engine: 'postgres', allowErrorLogs: true });
  await shop.stripe.close();
  const { db } = shop.database;
  const [admin, product] = [shop.client(await shop.admin()), await shop.addProduct()];
  const { order } = await buy(shop, await shop.signUp(), product, 2, 'pm_card_pendingRefund');
  const params = { id: order._id };
  await refundOrder(admin, { params, body: { amount: 5, reason: 'other' } });
  await db.updateTable('refund').set({ created_at: 0 }).execute();
  const { provider_id } = await db.selectFrom('refund').select('provider_id').executeTakeFirstOrThrow();
  await shop.stripe.finish(provider_id ?? '');
  const isWaiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return {
    shop,
    order,
    read: () => admin.call('getOrder', { params }),
    /** Starts the periodic work, which reads the refund from the provider, and commits `change` before the work goes on. */
    async changeDuringSync(change: (tx: Tx) => Promise<unknown>): Promise<void> {
      let work: Promise<void> | undefined;
      await shop.database.transaction(async (tx) => {
        await lockPurchase(tx, shop.database.engine, order.purchase);
        await change(tx);
        work = shop.doPeriodicWork();
        await expect.poll(async () => (await isWaiting.execute(db)).rows.length).toBe(1);
      });
      await work;
    },
    [Symbol.asyncDispose]: shop.close,
  };
}

test('an older response from the provider does not replace a newer one from another process', async () => {
  await using sync = await startSyncShop();
  await sync.changeDuringSync(async (tx) => {
    await tx.updateTable('refund').set({ status: 'failed' }).execute();
    await tx.updateTable('order_line').set({ refunded: 0, refund_pending: 0, owed: 500 }).execute();
    await tx.updateTable('purchase').set({ refunded: 0 }).execute();
  });
  expect(await sync.read()).toMatchObject({ refunded: 0, refunds: [{ status: 'failed' }] });
});

test('a refund that is requested while another is synced stays counted', async () => {
  await using sync = await startSyncShop();
  const { order } = sync;
  await sync.changeDuringSync(async (tx) => {
    await tx.updateTable('order_line').set({ refunded: 1500, refund_pending: 1500 }).execute();
    await tx.updateTable('purchase').set({ refunded: 1500 }).execute();
    const now = Date.now();
    const id = uuidv7();
    const row = await tx.selectFrom('refund').selectAll().executeTakeFirstOrThrow();
    await tx
      .insertInto('refund')
      .values({ ...row, id, amount: 1000, provider_id: null, created_at: now, updated_at: now })
      .execute();
    await tx
      .insertInto('refund_line')
      .values({
        id,
        refund_id: id,
        order_line_id: order._id,
        amount: 1000,
        quantity: 0,
        restock: 0,
        removed: 0,
      })
      .execute();
  });
  expect(await sync.read()).toMatchObject({
    refunded: 15,
    refunds: [
      { amount: 5, status: 'succeeded' },
      { amount: 10, status: 'pending' },
    ],
  });
});
