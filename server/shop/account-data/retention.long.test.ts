import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { buy, refundOrder } from '../../../tests/support/payments.ts';
import { sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop } from '../../../tests/support/shop.ts';
import { firstIdAt } from '../../database/id-range.ts';
import { anonymizeOldOrders } from './retention.ts';

describe.each(engines)('on %s', (engine) => {
  test('paid orders of deleted accounts lose name and address once the retention has ended', async () => {
    await using shop = await startShop({ engine, settings: { ORDER_RETENTION_YEARS: '3' } });
    const { db } = shop.database;
    const [tom, eve, ada] = [await shop.signUp(), await shop.signUp('Eve'), await shop.admin()];
    const product = await shop.addProduct({ a_quantity: 100 });
    const bought = [];
    for (let count = 0; count < 4; count++) bought.push((await buy(shop, tom, product)).order);
    const foreign = (await buy(shop, eve, product)).order;
    const [old, paidLater, refundedLater, recent] = bought.map(({ _id }) => _id);
    await refundOrder(shop.client(ada), {
      params: { id: refundedLater ?? '' },
      body: { amount: 1, reason: 'other', note: 'For Tom.' },
    });
    const { status } = await sendCall(shop, 'deleteUser', {
      params: { email: tom.email },
      body: { password: tom.password },
      headers: tokenHeaders(tom),
    });
    expect(status).toBe(200);

    /** Makes a purchase as old as if it had been placed at `at`, and returns its order's new id. */
    const setAge = async (id: string, at: number, paidAt = at): Promise<string> => {
      const earlier = `${firstIdAt(at).slice(0, 14)}${id.slice(14)}`;
      await db
        .updateTable('purchase')
        .set({ id: earlier, created_at: at, paid_at: paidAt, address: '1 Mill Lane' })
        .where('id', '=', id)
        .execute();
      await db
        .updateTable('order_line')
        .set({ id: earlier, purchase_id: earlier, created_at: at, tracking_number: '1Z5' })
        .where('id', '=', id)
        .execute();
      await db.updateTable('refund').set({ purchase_id: earlier }).where('purchase_id', '=', id).execute();
      return earlier;
    };
    const [december, january] = [Date.UTC(2022, 11, 31), Date.UTC(2023, 0, 2)];
    const ids = [
      await setAge(old ?? '', december),
      await setAge(paidLater ?? '', december, january),
      await setAge(refundedLater ?? '', december),
      await setAge(recent ?? '', january),
      await setAge(foreign._id, december),
    ];
    const readNames = async () => {
      const rows = await db
        .selectFrom('order_line')
        .innerJoin('purchase', 'purchase.id', 'order_line.purchase_id')
        .select(['order_line.id', 'purchase.name', 'purchase.address', 'tracking_number'])
        .execute();
      const byId = new Map(rows.map(({ id, ...row }) => [id, Object.values(row)]));
      return ids.map((id) => byId.get(id));
    };
    const kept = ['Tom Graham', '1 Mill Lane', '1Z5'];
    const { config, database } = shop;
    await anonymizeOldOrders({ config, database }, new Date('2025-12-31'));
    expect(await readNames()).toEqual([kept, kept, kept, kept, ['Eve', ...kept.slice(1)]]);
    await anonymizeOldOrders({ config, database }, new Date('2026-01-01'));
    const removed = ['', '', null];
    // The refund was made today, so its order keeps the name.
    expect(await readNames()).toEqual([removed, kept, kept, kept, ['Eve', ...kept.slice(1)]]);

    // The periodic work does the same, in the year in which this runs and later.
    await shop.doPeriodicWork();
    const client = shop.client(ada);
    const order = await client.call('getOrder', { params: { id: ids[0] ?? '' } });
    expect(order).toMatchObject({ userName: 'Former customer', user: '', address: '', phone: '' });
    const { purchases } = await client.call('getPrintout', { query: { orders: order.number } });
    expect(purchases).toMatchObject([{ userName: 'Former customer', address: '' }]);
    expect((await shop.send(`/dashboard/orders/${order.number}`, {}, ada)).status).toBe(200);
    expect((await shop.send('/dashboard/allOrders', {}, ada)).status).toBe(200);

    await anonymizeOldOrders({ config, database }, new Date('2040-01-01'));
    expect((await readNames()).slice(0, 4)).toEqual([removed, removed, removed, removed]);
    const refunds = await db.selectFrom('refund').select(['note', 'amount']).execute();
    expect(refunds).toEqual([{ note: '', amount: 100 }]);
  });

  test('a run anonymizes at most 500 purchases', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const tom = await shop.signUp();
    const { order } = await buy(shop, tom, await shop.addProduct());
    const row = await db
      .selectFrom('purchase')
      .selectAll()
      .where('id', '=', order._id)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: 600 }, (_, index) => ({
      ...row,
      id: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      number: `0000-${index}`,
      transaction_id: `pi_${index}`,
    }));
    for (let from = 0; from < rows.length; from += 200)
      await db
        .insertInto('purchase')
        .values(rows.slice(from, from + 200))
        .execute();
    await db.updateTable('purchase').set({ paid_at: 1, user_id: null, account_deleted_at: 1 }).execute();
    const count = async () =>
      (await db.selectFrom('purchase').select('id').where('name', '=', '').execute()).length;
    const { config, database } = shop;
    await anonymizeOldOrders({ config, database });
    expect(await count()).toBe(500);
    await anonymizeOldOrders({ config, database });
    expect(await count()).toBe(600);
  });
});
