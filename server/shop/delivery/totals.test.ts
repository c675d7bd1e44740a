import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { auditSales, auditSettled, readBooks } from '../../../tests/support/auditor.ts';
import { engines } from '../../../tests/support/database.ts';
import { buyDelivered, setUpDelivery, toGreatBritain } from '../../../tests/support/delivery.ts';
import { buyTogether } from '../../../tests/support/payments.ts';
import { sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { today } from '../../config/time-zone.ts';
import { compareSales } from '../sales/compare-sales.ts';
import { countSales } from '../sales/daily-totals.ts';
import { repairSales } from '../sales/repair-sales.ts';

describe.each(engines)('totals with delivery on %s', (engine) => {
  test('the overview, the list and the CSV file count what was paid for delivery once', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom] = [await shop.admin(), await shop.signUp('Tom')];
    const gauge = await shop.addProduct({ name: 'Gauge', price: 12.5 });
    const broach = await shop.addProduct({ name: 'Broach', price: 3 });
    const opening = new Map([gauge, broach].map(({ _id, a_quantity: stock }) => [_id, { stock }]));
    const headers = tokenHeaders(admin);
    const readFile = async (): Promise<string[][]> =>
      parse(await (await sendCall(shop, 'listAllOrders', { query: { format: 'csv' }, headers })).text(), {
        bom: true,
      });
    await buyTogether(shop, tom, [[broach, 1]]);
    const [before = []] = await readFile();
    expect(before).not.toContain('Delivery');
    await setUpDelivery(
      shop,
      { zones: toGreatBritain([{ _id: 'post', name: 'Tracked 48', by: 'flat', price: 4.5 }]) },
      admin,
    );
    expect((await readFile())[0]).toEqual(before);
    await buyDelivered(
      shop,
      tom,
      [
        [gauge, 2],
        [broach, 1],
      ],
      'post',
    );

    const client = shop.client(admin);
    const overview = await client.call('getOverview', {});
    expect(overview.total).toMatchObject({ revenue: 35.5, orders: 2 });
    const days = { from: overview.from, to: overview.to };
    const whole = [{ currency: 'USD', count: 2, amount: 35.5 }];
    expect(await client.call('sumOrders', { query: { ...days, by: 'paid' } })).toMatchObject({ sums: whole });
    expect(await client.call('sumOrders', { query: { status: 'paid' } })).toMatchObject({ sums: whole });
    const [headings = [], ...rows] = await readFile();
    expect(headings).toEqual([...before, 'Delivery', 'Delivery refunded', 'Delivery refund pending']);
    const read = (name: string) => rows.map((row) => Number(row[headings.indexOf(name)]));
    expect(read('Total')).toEqual([3, 25, 3]);
    expect(read('Delivery')).toEqual([4.5, 0, 0]);
    expect(await auditSettled(shop.config.database, opening)).toEqual([]);
  });

  test('the daily totals include delivery, and the repair counts the same', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom] = [await shop.admin(), await shop.signUp('Tom')];
    const gauge = await shop.addProduct({ name: 'Gauge', price: 12.5 });
    await setUpDelivery(
      shop,
      { zones: toGreatBritain([{ _id: 'post', name: 'Tracked 48', by: 'flat', price: 4.5 }]) },
      admin,
    );
    const { purchase } = await buyDelivered(shop, tom, [[gauge, 1]], 'post');
    const { db } = shop.database;
    const yesterday = Date.now() - 24 * 3_600_000;
    await db.updateTable('purchase').set({ paid_at: yesterday }).where('id', '=', purchase._id).execute();
    // Count from the start again: this purchase is now older than the last count.
    await db.deleteFrom('setting').where('name', 'like', 'sales counted until%').execute();
    await countSales(shop);
    const sums = () => db.selectFrom('sales_by_day').select(['revenue', 'orders']).execute();
    expect(await sums()).toEqual([{ revenue: 1700, orders: 1 }]);
    await expectRight(shop);
    await db.updateTable('sales_by_day').set({ revenue: 1250 }).execute();
    expect(await compareSales(db, 'UTC')).toHaveLength(1);
    await repairSales(shop, today('UTC'));
    expect(await sums()).toEqual([{ revenue: 1700, orders: 1 }]);
    await expectRight(shop);
    // A day that is right is not counted again.
    const logged = shop.logged.length;
    await repairSales(shop, today('UTC'));
    expect(shop.logged).toHaveLength(logged);
  });
});

async function expectRight(shop: TestShop): Promise<void> {
  expect(await compareSales(shop.database.db, 'UTC')).toEqual([]);
  expect(auditSales(await readBooks(shop.config.database))).toEqual([]);
}
