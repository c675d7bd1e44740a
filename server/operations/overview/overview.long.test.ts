import { uuidv7 } from 'uuidv7';
import { describe, expect, test, vi } from 'vitest';
import { dayMs, hourMs } from '../../../contract/durations.ts';
import type { Order } from '../../../contract/orders/orders.ts';
import { auditSales, readBooks } from '../../../tests/support/auditor.ts';
import { engines } from '../../../tests/support/database.ts';
import { buy, buyTogether, placeOrder, refundOrder, requestStripe } from '../../../tests/support/payments.ts';
import { tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { recordStatements } from '../../../tests/support/statements.ts';
import { toDay as toZonedDay } from '../../config/time-zone.ts';
import type { Db } from '../../database/schema.ts';
import { createPaymentProgress } from '../../shop/payments/reconcile.ts';
import { compareSales } from '../../shop/sales/compare-sales.ts';
import { countSales } from '../../shop/sales/daily-totals.ts';
import { readBestSellers, readCountedUntil, readDays } from '../../shop/sales/read-sales.ts';
import { repairSales } from '../../shop/sales/repair-sales.ts';

const toDay = (at: number) => toZonedDay(at, 'UTC');
const toDate = (at: number) => new Date(at).toISOString().slice(0, 10);
const daysAgo = (days: number) => Date.now() - days * dayMs;

const readOverview = async (shop: TestShop, query: { from?: string; to?: string } = {}) =>
  shop.client(await shop.admin()).call('getOverview', { query });

/** The number of orders to ship in the overview, in the lists behind it and in a search for this order's number. */
async function countToShip(shop: TestShop, { number }: Order): Promise<number[]> {
  const admin = shop.client(await shop.admin());
  const { toShip } = await readOverview(shop);
  const queries = [{ sort: 'created' }, { sort: 'price' }, { q: number }] as const;
  const lists = await Promise.all(
    queries.map((query) => admin.call('listAllOrders', { query: { status: 'paid', ...query } })),
  );
  return [toShip.tools, ...lists.map((orders) => orders.length)];
}

/** Copies a paid purchase to another time. */
async function sellEarlier(
  { database: { db } }: TestShop,
  { purchase }: Order,
  paidAt: number,
  { currency, ...fields }: { currency?: string; product_id?: string; product_name?: string } = {},
): Promise<void> {
  const [sold, orders] = [
    await db.selectFrom('purchase').selectAll().where('id', '=', purchase).executeTakeFirstOrThrow(),
    await db.selectFrom('order_line').selectAll().where('purchase_id', '=', purchase).execute(),
  ];
  const id = uuidv7();
  await db
    .insertInto('purchase')
    .values({
      ...sold,
      ...(currency ? { currency } : {}),
      id,
      number: id.slice(-8),
      created_at: paidAt,
      paid_at: paidAt,
      transaction_id: id,
    })
    .execute();
  const copies = orders.map((order) => ({ ...order, ...fields, id: uuidv7(), purchase_id: id }));
  await db.insertInto('order_line').values(copies).execute();
}

/** Deletes the totals, as if a shop with orders had just been upgraded. */
async function forgetTotals({ database: { db } }: TestShop): Promise<void> {
  for (const table of [
    'sales_by_day',
    'product_sales_by_day',
    'recent_product_sales',
    'product_sales_by_period',
  ] as const)
    await db.deleteFrom(table).execute();
  await db.deleteFrom('setting').where('name', 'like', 'sales counted until%').execute();
}

/** Compares the best sellers of many periods with the orders, before they are counted and after. */
async function expectBestSellers(db: Db): Promise<void> {
  const orders = await db
    .selectFrom('order_line')
    .innerJoin('purchase', 'purchase.id', 'order_line.purchase_id')
    .select(['order_line.product_id as id', 'order_line.total', 'order_line.quantity', 'purchase.paid_at'])
    .where('purchase.currency', '=', 'USD')
    .execute();
  const today = toDay(Date.now());
  const monthsAgo = (months: number) => {
    const date = new Date();
    return toDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months));
  };
  const year = new Date().getUTCFullYear();
  const monday = today - ((new Date().getUTCDay() + 6) % 7);
  for (const { from, to } of [
    { from: today - 29, to: today },
    { from: today, to: today },
    { from: today - 30, to: today - 30 },
    { from: monday, to: today },
    { from: monday - 7, to: monday - 1 },
    { from: monthsAgo(0), to: today },
    { from: monthsAgo(1), to: monthsAgo(0) - 1 },
    { from: monthsAgo(2), to: monthsAgo(1) - 1 },
    { from: toDay(Date.UTC(year)), to: today },
    { from: toDay(Date.UTC(year - 1)), to: toDay(Date.UTC(year)) - 1 },
    { from: today - 45, to: today - 2 },
  ]) {
    const sums = new Map<string, { id: string; pieces: number; revenue: number }>();
    for (const { id, total, quantity, paid_at } of orders) {
      const day = toDay(paid_at ?? 0);
      if (day < from || day > to) continue;
      const sum = sums.getOrInsert(id, { id, pieces: 0, revenue: 0 });
      sum.pieces += quantity;
      sum.revenue += total;
    }
    const counted = await readCountedUntil(db, 'UTC');
    const bestSellers = await readBestSellers(
      db,
      'USD',
      { from, to },
      { counted, canSum: true, timeZone: 'UTC' },
    );
    expect(bestSellers?.map(({ id, pieces, revenue }) => ({ id, pieces, revenue }))).toEqual(
      [...sums.values()].sort((a, b) => b.revenue - a.revenue || a.id.localeCompare(b.id)),
    );
  }
}

describe.each(engines)('on %s', (engine) => {
  test('GET /overview sums the orders paid and the refunds of each day, before and after they are counted', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom] = [shop.client(await shop.admin()), await shop.signUp()];
    const [gauge, vise] = [
      await shop.addProduct({ a_quantity: 50 }),
      await shop.addProduct({ name: 'Vise', price: 3, a_quantity: 50 }),
    ];
    const { order } = await buy(shop, tom, gauge, 2);
    await buyTogether(shop, tom, [
      [gauge, 1],
      [vise, 3],
    ]);
    await placeOrder(shop, tom, vise);
    for (const days of [1, 29, 30, 59, 60]) await sellEarlier(shop, order, daysAgo(days));
    await refundOrder(admin, { params: { id: order._id }, body: { amount: 5, reason: 'other' } });

    const check = async () => {
      const overview = await admin.call('getOverview', {});
      expect(overview).toMatchObject({
        from: toDate(daysAgo(29)),
        to: toDate(Date.now()),
        currency: 'USD',
        total: { revenue: 96.5, orders: 4, refunded: 5, refunds: 1 },
        before: { from: toDate(daysAgo(59)), to: toDate(daysAgo(30)), revenue: 50, orders: 2, refunds: 0 },
        bestSellers: [
          { _id: gauge._id, name: gauge.name, pieces: 7, revenue: 87.5, deleted: false },
          { _id: vise._id, pieces: 3, revenue: 9 },
        ],
        toShip: { parcels: 7, tools: 8 },
        holds: { orders: 1, pieces: 1 },
        hasOrders: true,
      });
      expect(overview.days).toHaveLength(30);
      const daysWithOrders = overview.days.filter(({ orders }) => orders > 0);
      expect(daysWithOrders.map(({ date, revenue }) => [date, revenue])).toEqual([
        [toDate(daysAgo(29)), 25],
        [toDate(daysAgo(1)), 25],
        [toDate(Date.now()), 46.5],
      ]);
      const week = await admin.call('getOverview', {
        query: { from: toDate(daysAgo(30)), to: toDate(daysAgo(1)) },
      });
      expect([week.total.revenue, week.bestSellers?.[0]?.pieces]).toEqual([75, 6]);
    };
    await forgetTotals(shop);
    await check();
    await shop.doPeriodicWork();
    await check();
    // Payments of the last minutes are counted once they have settled.
    vi.setSystemTime(Date.now() + 20 * 60_000);
    await countSales(shop);
    vi.useRealTimers();
    await check();
  });

  test('a refund that fails later no longer counts', async () => {
    await using shop = await startShop({ engine, allowErrorLogs: true });
    const [admin, tom] = [shop.client(await shop.admin()), await shop.signUp()];
    const { order, intent } = await buy(shop, tom, await shop.addProduct(), 2, 'pm_card_refundFail');
    await refundOrder(admin, { params: { id: order._id }, body: { reason: 'other' } });
    expect((await readOverview(shop)).total).toMatchObject({ refunded: 25, refunds: 1 });
    const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${intent.id}`);
    await shop.stripe.finish(data[0]?.id ?? '');
    await expect
      .poll(async () => (await readOverview(shop)).total)
      .toMatchObject({ revenue: 25, refunded: 0, refunds: 0 });
  });

  test('GET /overview lists open disputes, lost disputes and other currencies separately from its sums', async () => {
    await using shop = await startShop({ engine });
    await shop.stripe.close();
    const [admin, tom] = [shop.client(await shop.admin()), await shop.signUp()];
    const { order, intent } = await buy(shop, tom, await shop.addProduct(), 2, 'pm_card_createDispute');
    const other = await buy(shop, tom, await shop.addProduct(), 2);
    await refundOrder(admin, { params: { id: other.order._id }, body: { amount: 5, reason: 'other' } });
    // The data is now as if the shop had charged another currency then.
    for (const table of ['purchase', 'refund'] as const)
      await shop.database.db
        .updateTable(table)
        .set({ currency: 'EUR' })
        .where(table === 'purchase' ? 'id' : 'purchase_id', '=', other.order.purchase)
        .execute();
    await shop.doPeriodicWork();
    const total = { revenue: 25, orders: 1, refunded: 0, refunds: 0 };
    const otherCurrencies = [{ currency: 'EUR', revenue: 25, orders: 1, refunded: 5, refunds: 1 }];
    const money = [{ currency: 'USD', amount: 25, disputes: 1 }];
    expect(await readOverview(shop)).toMatchObject({
      total,
      otherCurrencies,
      disputed: money,
      chargedBack: [],
    });
    const { data } = await requestStripe(shop, 'GET', `/disputes?payment_intent=${intent.id}`);
    await requestStripe(shop, 'POST', `/disputes/${data[0]?.id}/close`);
    await shop.doPeriodicWork();
    await shop.doPeriodicWork();
    expect(await readOverview(shop)).toMatchObject({ total, disputed: [], chargedBack: money });
    expect(await admin.call('getOrder', { params: { id: order._id } })).toMatchObject({ chargedBack: 25 });
    const yesterday = { from: toDate(daysAgo(1)), to: toDate(daysAgo(1)) };
    expect(await readOverview(shop, yesterday)).toMatchObject({ otherCurrencies: [], chargedBack: [] });
  });

  test('an order with a pending full refund leaves the orders to ship, even if the refund is canceled: the shop then owes the amount', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom] = [shop.client(await shop.admin()), await shop.signUp()];
    const { order, intent } = await buy(shop, tom, await shop.addProduct(), 2, 'pm_card_pendingRefund');
    const refund = (body: { amount?: number } = {}) =>
      refundOrder(admin, { params: { id: order._id }, body: { reason: 'other', ...body } });
    await refund({ amount: 24 });
    expect(await countToShip(shop, order)).toEqual([1, 1, 1, 1]);
    await refund();
    expect(await countToShip(shop, order)).toEqual([0, 0, 0, 0]);
    for (const query of [{}, { status: 'refunded' }, { q: order.number }] as const)
      expect(await admin.call('listAllOrders', { query })).toMatchObject([
        { _id: order._id, orderStatus: 'paid', refunded: 25, refundPending: 25 },
      ]);
    const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${intent.id}`);
    await requestStripe(shop, 'POST', `/refunds/${data[0]?.id}/cancel`);
    await expect
      .poll(() => admin.call('getOrder', { params: { id: order._id } }))
      .toMatchObject({ refunded: 24, owed: 1, removedQuantity: 2 });
    expect(await countToShip(shop, order)).toEqual([0, 0, 0, 0]);
  });

  test('an order whose pieces are all refunded leaves the orders to ship, even if some money is kept', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom] = [shop.client(await shop.admin()), await shop.signUp()];
    const { order } = await buy(shop, tom, await shop.addProduct(), 2);
    for (const left of [1, 0]) {
      const body = { amount: 10, quantity: 1, reason: 'other' } as const;
      await refundOrder(admin, { params: { id: order._id }, body });
      expect(await countToShip(shop, order)).toEqual([left, left, left, left]);
    }
  });

  test('the totals match the orders as days pass, and late or changed orders are recounted', async () => {
    await using shop = await startShop({ engine });
    const [tom, gauge, vise] = [
      await shop.signUp(),
      await shop.addProduct(),
      await shop.addProduct({ name: 'Vise' }),
    ];
    const { order } = await buy(shop, tom, gauge);
    const { db } = shop.database;
    const audit = async () => auditSales(await readBooks(shop.config.database));
    await forgetTotals(shop);
    for (const days of [70, 45, 44, 31, 30, 29, 2, 0]) {
      for (const fields of [{}, { product_id: vise._id }, { currency: 'EUR' }])
        await sellEarlier(shop, order, daysAgo(days) - hourMs, fields);
      vi.setSystemTime(daysAgo(days));
      await countSales(shop);
      await expectBestSellers(db);
      vi.useRealTimers();
      expect(await audit()).toEqual([]);
      await expectBestSellers(db);
    }
    await sellEarlier(shop, order, daysAgo(2));
    await sellEarlier(shop, order, daysAgo(50));
    // For each of the two days, the orders, the revenue, and the product's pieces and revenue are wrong. So are the product's
    // pieces and revenue in the week, month and year of the day.
    const years = new Set([2, 50].map((days) => toDate(daysAgo(days)).slice(0, 4))).size;
    expect(await audit()).toHaveLength(10 + 4 + 4 + 2 * years);
    expect(await compareSales(db, 'UTC')).toEqual([toDate(daysAgo(2)), toDate(daysAgo(50))]);
    const progress = {
      payments: createPaymentProgress(),
      images: '',
      backInStock: '',
      stock: '',
      histories: '',
      words: '',
      salesDay: Infinity,
    };
    for (let run = 0; run < 12; run++) await shop.doPeriodicWork(progress);
    expect(await audit()).toEqual([]);
    expect(await compareSales(db, 'UTC')).toEqual([]);
    // The totals are now as if the shop had counted each tool of a purchase.
    await db
      .updateTable('sales_by_day')
      .set({ orders: 7 })
      .where('day', '=', toDay(daysAgo(50)))
      .execute();
    expect(await compareSales(db, 'UTC')).toEqual([toDate(daysAgo(50))]);
    for (let run = 0; run < 12; run++) await shop.doPeriodicWork(progress);
    expect(await compareSales(db, 'UTC')).toEqual([]);
    // An hour before this time of day, 29 days ago, may be the day before.
    const from = toDate(daysAgo(29) - hourMs);
    const { otherCurrencies } = await readOverview(shop, { from, to: toDate(Date.now()) });
    expect(otherCurrencies).toMatchObject([{ currency: 'EUR', revenue: 37.5, orders: 3, refunds: 0 }]);
  });

  test('days are those of the shop’s time zone, with 23 or 25 hours where clocks are changed', async () => {
    await using shop = await startShop({ engine, settings: { TIME_ZONE: 'Europe/Berlin' } });
    const { order } = await buy(shop, await shop.signUp(), await shop.addProduct());
    const [short, long] = ['2025-03-30', '2025-10-26'] as const;
    const bounds = [
      ['2025-03-29T23:00Z', '2025-03-30T22:00Z'],
      ['2025-10-25T22:00Z', '2025-10-26T23:00Z'],
    ].flat();
    for (const bound of bounds)
      for (const at of [Date.parse(bound) - 1, Date.parse(bound)]) await sellEarlier(shop, order, at);
    const check = async () => {
      for (const date of [short, long]) {
        const [from, to] = [-1, 1].map((days) => toDate(Date.parse(date) + days * dayMs));
        const { days, bestSellers } = await readOverview(shop, { from: from ?? '', to: to ?? '' });
        expect(days.map(({ orders }) => orders)).toEqual([1, 2, 1]);
        expect(bestSellers?.[0]?.pieces).toBe(4);
        expect((await readOverview(shop, { from: date, to: date })).bestSellers?.[0]?.pieces).toBe(2);
      }
      const { total } = await readOverview(shop, { from: short, to: long });
      expect(total.orders).toBe(6);
      const march = await readOverview(shop, { from: '2025-03-01', to: '2025-03-31' });
      expect(march.bestSellers?.[0]?.pieces).toBe(4);
    };
    await forgetTotals(shop);
    await check();
    await countSales(shop);
    await check();
    expect(await compareSales(shop.database.db, 'Europe/Berlin')).toEqual([]);
    const day = toDay(Date.parse(long));
    await shop.database.db.updateTable('sales_by_day').set({ revenue: 1 }).where('day', '=', day).execute();
    expect(await compareSales(shop.database.db, 'Europe/Berlin')).toEqual([long]);
    await repairSales(shop, day + 1);
    await check();
  });

  test('after a change of the time zone, the overview is right before and after the totals are counted again; old totals are deleted', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const { order } = await buy(shop, await shop.signUp(), await shop.addProduct());
    await sellEarlier(shop, order, Date.parse('2025-03-31T20:00Z'));
    await forgetTotals(shop);
    await shop.doPeriodicWork();
    const days = { from: toDay(Date.parse('2025-03-31')), to: toDay(Date.parse('2025-04-01')) };
    const read = async (timeZone: string) => {
      const counted = await readCountedUntil(db, timeZone);
      const { sales } = await readDays(db, days, counted, timeZone);
      const april = { from: days.to, to: days.to + 29 };
      const best = await readBestSellers(db, 'USD', april, { counted, canSum: false, timeZone });
      return [counted > 0, sales.map(({ day, count }) => [day - days.from, count]), best?.length];
    };
    expect(await read('UTC')).toEqual([true, [[0, 1]], 0]);
    expect(await read('Asia/Tokyo')).toEqual([false, [[1, 1]], 1]);
    await countSales({ ...shop, config: { timeZone: 'Asia/Tokyo' } });
    expect(await read('Asia/Tokyo')).toEqual([true, [[1, 1]], 1]);
    expect(await compareSales(db, 'Asia/Tokyo')).toEqual([]);
    // As in a server that still has the former setting.
    expect(await read('UTC')).toEqual([false, [[0, 1]], 0]);
    await countSales(shop);
    expect(await read('UTC')).toEqual([true, [[0, 1]], 0]);
    expect(await compareSales(db, 'UTC')).toEqual([]);
    const names = await db.selectFrom('setting').select('name').where('name', 'like', 'sales%').execute();
    expect(names).toEqual([{ name: 'sales counted until' }]);
  });

  test('best sellers that would have to be summed from many orders are left out', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    await shop.doPeriodicWork();
    const counted = await readCountedUntil(db, 'UTC');
    const today = toDay(Date.now());
    const read = (from: number, to: number) =>
      readBestSellers(db, 'USD', { from, to }, { counted, canSum: false, timeZone: 'UTC' });
    // This period is neither the last 30 days nor, on the 29th, the month until now.
    const from = new Date((today - 28) * dayMs).getUTCDate() === 1 ? today - 27 : today - 28;
    expect(await read(from, today)).toBe(null);
    expect(await read(toDay(Date.UTC(2025, 1, 1)), toDay(Date.UTC(2025, 1, 27)))).toBe(null);
    expect(await read(toDay(Date.UTC(2025, 1, 1)), toDay(Date.UTC(2025, 1, 28)))).toEqual([]);
    // A calendar week or a single day needs no sums.
    expect(await read(toDay(Date.UTC(2025, 1, 3)), toDay(Date.UTC(2025, 1, 9)))).toEqual([]);
    expect(await read(toDay(Date.UTC(2025, 1, 4)), toDay(Date.UTC(2025, 1, 4)))).toEqual([]);
    expect(await read(toDay(Date.UTC(2025, 1, 4)), toDay(Date.UTC(2025, 1, 10)))).toBe(null);
    expect(await read(toDay(Date.UTC(2025)), toDay(Date.UTC(2025, 11, 31)))).toEqual([]);
  });

  test('GET /overview with the ETag of the last response is a 304 after one cheap statement, until an order is paid', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom, product] = [await shop.admin(), await shop.signUp(), await shop.addProduct()];
    const read = async (etag = '') => {
      const headers = { ...tokenHeaders(admin), 'if-none-match': etag };
      const { result, statementsOf } = await recordStatements(() => shop.send('/api/overview', { headers }));
      return {
        status: result.status,
        etag: result.headers.get('etag') ?? '',
        statements: statementsOf(shop.database.db).length,
      };
    };
    const first = await read();
    expect(first).toMatchObject({ status: 200, etag: expect.stringMatching(/^W\/"/) });
    // The version changes with the minute, too.
    await expect.poll(async () => read((await read()).etag)).toMatchObject({ status: 304, statements: 2 });
    const { etag } = await read();
    await buy(shop, tom, product);
    expect(await read(etag)).toMatchObject({ status: 200 });
  });
});

test('GET /overview lists what is running out, the least stock first, without archived products', async () => {
  await using shop = await startShop();
  const client = shop.client(await shop.admin());
  const [out, low, , archived] = [
    await shop.addProduct({ name: 'Sold out', a_quantity: 0 }),
    await shop.addProduct({ name: 'Low', a_quantity: 4 }),
    await shop.addProduct({ name: 'Enough', a_quantity: 5 }),
    await shop.addProduct({ name: 'Archived', a_quantity: 0 }),
  ];
  await client.call('editProduct', { params: { id: low._id }, body: { version: 1, lowStock: 5 } });
  await client.call('editProduct', { params: { id: archived._id }, body: { version: 1, archived: true } });
  expect((await client.call('getOverview', {})).lowStock).toEqual({
    products: 2,
    first: [
      { _id: out._id, name: 'Sold out', o_quantity: 1, a_quantity: 0 },
      { _id: low._id, name: 'Low', o_quantity: 1, a_quantity: 4, lowStock: 5 },
    ],
  });
  // The overview links to this list.
  const listed = await client.call('listProducts', { query: { lowStock: 'true', sort: 'stock' } });
  expect(listed.map(({ _id }) => _id)).toEqual([out._id, low._id]);
});

test.each([
  [{ from: '2026-02-30' }, 'From must be a date such as 2026-11-22'],
  [{ from: '2026-11-02', to: '2026-11-01' }, 'From must not be after To'],
  [{ from: '9999-12-31' }, 'From must not be after To'],
  [{ to: '0000-01-01' }, 'To must be in 1970 or later'],
  [{ from: '2025-01-01', to: '2026-01-02' }, 'The period must be at most 366 days long'],
])('GET /overview rejects %j', async (query, message) => {
  await using shop = await startShop();
  await expect(readOverview(shop, query)).rejects.toThrow(message);
});
