import { describe, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../../../contract/durations.ts';
import type { OrderList } from '../../../../contract/orders/order-list.ts';
import type { Order } from '../../../../contract/orders/orders.ts';
import { engines } from '../../../../tests/support/database.ts';
import { insertOrders } from '../../../../tests/support/order-rows.ts';
import {
  buy,
  buyTogether,
  placeOrder,
  refundOrder,
  requestStripe,
} from '../../../../tests/support/payments.ts';
import { startShop } from '../../../../tests/support/shop.ts';

const toDate = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const countPurchases = (orders: Order[]) => new Set(orders.map(({ purchase }) => purchase)).size;
const sumPrices = (orders: Order[]) => orders.reduce((sum, { price }) => sum + price, 0);

describe.concurrent.each(engines)('on %s', (engine) => {
  test('every figure of the overview has a list with the same count and the same sum', async () => {
    await using shop = await startShop({ engine });
    await shop.stripe.close();
    const { db } = shop.database;
    const [admin, tom] = [shop.client(await shop.admin()), await shop.signUp()];
    const gauge = await shop.addProduct({ a_quantity: 50 });
    const vise = await shop.addProduct({ name: 'Vise', price: 3, a_quantity: 50 });
    const refund = (order: Order, amount: number) =>
      refundOrder(admin, { params: { id: order._id }, body: { amount, reason: 'other' } });
    await buyTogether(shop, tom, [
      [gauge, 1],
      [vise, 3],
    ]);
    const earlier = await buy(shop, tom, gauge, 2);
    const euros = await buy(shop, tom, gauge, 4);
    const lost = await buy(shop, tom, gauge, 1, 'pm_card_createDispute');
    await buy(shop, tom, vise, 1, 'pm_card_createDispute');
    await placeOrder(shop, tom, vise);
    await refund(earlier.order, 5);
    await refund(euros.order, 7);
    for (const table of ['purchase', 'refund'] as const)
      await db
        .updateTable(table)
        .set({ currency: 'EUR' })
        .where(table === 'purchase' ? 'id' : 'purchase_id', '=', euros.order.purchase)
        .execute();
    // This order was paid before the period, and refunded within it.
    const before = Date.now() - 40 * dayMs;
    await db
      .updateTable('purchase')
      .set({ paid_at: before })
      .where('id', '=', earlier.order.purchase)
      .execute();
    await shop.doPeriodicWork();
    const { data } = await requestStripe(shop, 'GET', `/disputes?payment_intent=${lost.intent.id}`);
    await requestStripe(shop, 'POST', `/disputes/${data[0]?.id}/close`);
    await shop.doPeriodicWork();

    const overview = await admin.call('getOverview', {});
    const days = { from: overview.from, to: overview.to };
    const sum = (query: Partial<OrderList>) => admin.call('sumOrders', { query });
    const list = (query: Partial<OrderList>) => admin.call('listAllOrders', { query });
    const [other] = overview.otherCurrencies;
    const paid = [
      { currency: 'USD', count: overview.total.orders, amount: overview.total.revenue },
      { currency: 'EUR', count: other?.orders, amount: other?.revenue },
    ];
    expect(paid).toMatchObject([
      { count: 3, amount: 37 },
      { count: 1, amount: 50 },
    ]);
    const twoSums = { of: 'orders', isComplete: true, sums: expect.toSatisfy((sums) => sums.length === 2) };
    expect(await sum({ ...days, by: 'paid' })).toEqual(twoSums);
    expect((await sum({ ...days, by: 'paid' })).sums).toEqual(expect.arrayContaining(paid));
    const paidOrders = await list({ ...days, by: 'paid' });
    expect([countPurchases(paidOrders), sumPrices(paidOrders)]).toEqual([4, 87]);

    expect(overview.total).toMatchObject({ refunded: 5, refunds: 1 });
    const refunded = await sum({ ...days, by: 'refunded' });
    expect(refunded).toMatchObject({ of: 'refunds', isComplete: true });
    expect(refunded.sums).toEqual(
      expect.arrayContaining([
        { currency: 'USD', count: 1, amount: 5 },
        { currency: 'EUR', count: 1, amount: 7 },
      ]),
    );
    const refundedOrders = await list({ ...days, by: 'refunded' });
    expect(refundedOrders.map(({ _id }) => _id)).toEqual([euros.order._id, earlier.order._id]);

    expect(overview).toMatchObject({
      disputed: [{ currency: 'USD', amount: 3, disputes: 1 }],
      chargedBack: [{ currency: 'USD', amount: 12.5, disputes: 1 }],
    });
    expect(await sum({ status: 'disputed' })).toEqual({
      of: 'disputes',
      isComplete: true,
      sums: [{ currency: 'USD', count: 1, amount: 3 }],
    });
    expect(await sum({ ...days, by: 'charged_back' })).toEqual({
      of: 'disputes',
      isComplete: true,
      sums: [{ currency: 'USD', count: 1, amount: 12.5 }],
    });
    expect(await list({ ...days, by: 'charged_back' })).toMatchObject([{ _id: lost.order._id }]);

    // Two tools are in one parcel; the charged-back purchase is not listed as to ship.
    expect(overview.toShip).toMatchObject({ parcels: 4, tools: 5 });
    expect((await sum({ status: 'paid' })).sums).toEqual([
      { currency: 'EUR', count: 1, tools: 1, amount: 50 },
      { currency: 'USD', count: 3, tools: 4, amount: 49.5 },
    ]);
    expect(await sum({ status: 'unpaid' })).toMatchObject({ sums: [{ count: 1, tools: 1, amount: 3 }] });
    // With another filter, the orders of the list are summed.
    expect(await sum({ ...days, by: 'paid', q: 'vise' })).toMatchObject({
      sums: [{ currency: 'USD', count: 2, tools: 2, amount: 12 }],
    });
  });

  test('GET /order lists the orders paid on some days, however many they are and however long ago they were placed', async () => {
    await using shop = await startShop({ engine });
    const first = Date.UTC(2026, 2, 1);
    const seeds = Array.from({ length: 2200 }, (_, index) => {
      const created_at = index === 0 ? first - 100 * dayMs : first + index * 120_000;
      const status = index % 3 ? ('sipping' as const) : ('paid' as const);
      return { created_at, paid_at: first + index * 120_000 + hourMs, total: 1 + (index % 7), status };
    });
    const ids = await insertOrders(shop, seeds);
    const admin = shop.client(await shop.admin());
    for (const days of [
      { from: toDate(first), to: toDate(first + 5 * dayMs) },
      { from: toDate(first), to: toDate(first) },
      { to: toDate(first + dayMs) },
    ])
      for (const status of [undefined, 'shipped', 'paid', 'unpaid'] as const)
        for (const sort of ['-created', 'created', 'price'] as const) {
          const [start, end] = [Date.parse(days.from ?? '2000-01-01'), Date.parse(days.to) + dayMs];
          const wanted = status === 'shipped' ? 'sipping' : status;
          const expected = seeds
            .map((seed, index) => ({ ...seed, id: ids[index] ?? '' }))
            .filter((seed) => seed.paid_at >= start && seed.paid_at < end)
            .filter((seed) => wanted === undefined || seed.status === wanted)
            .sort((a, b) => (sort === 'price' ? a.total - b.total : 0) || (a.id < b.id ? -1 : 1))
            .map(({ id }) => id);
          if (sort === '-created') expected.reverse();
          const query = { ...days, status, sort, by: 'paid' as const };
          const found = await admin.call('listAllOrders', { query: { ...query, limit: 20 } });
          expect([query, found.map(({ _id }) => _id)]).toEqual([query, expected.slice(0, 20)]);
          const after = expected.at(-5);
          if (!after) continue;
          const last = await admin.call('listAllOrders', { query: { ...query, limit: 20, after } });
          expect([query, last.map(({ _id }) => _id)]).toEqual([query, expected.slice(-4)]);
        }
  }, 60_000);

  test('GET /order/sums sums nothing if too many orders match, and says so', async () => {
    await using shop = await startShop({ engine });
    await insertOrders(
      shop,
      Array.from({ length: 1001 }, (_, index) => (index === 0 ? { currency: 'EUR' } : { total: 100 })),
    );
    const admin = shop.client(await shop.admin());
    expect(await admin.call('sumOrders', {})).toEqual({ of: 'orders', isComplete: false, sums: [] });
    const [oldest] = await admin.call('listAllOrders', { query: { sort: 'created', limit: 1 } });
    expect(await admin.call('sumOrders', { query: { q: oldest?.number ?? '' } })).toEqual({
      of: 'orders',
      isComplete: true,
      sums: [{ currency: 'EUR', count: 1, tools: 1, amount: 12.5 }],
    });
  });
});
