import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Product } from '../../../contract/catalogue/products.ts';
import type { Purchase } from '../../../contract/orders/purchases.ts';
import { engines } from '../../../tests/support/database.ts';
import {
  confirmIntent,
  openPurchasePayment,
  placeOrder,
  placePurchase,
  reportPaid,
} from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const stockOf = async (shop: TestShop, { _id: id }: Product) =>
  (await shop.client().call('getProduct', { params: { id } })).a_quantity;

const getPurchase = (shop: TestShop, person: TestUser, id: string) =>
  shop.client(person).call('getPurchase', { params: { id } });

describe.concurrent.each(engines)('purchases on %s', (engine) => {
  test('a purchase takes the stock of every line and has one order for each, one number and one total', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp('Tom Graham');
    const winder = await shop.addProduct({ name: 'Winder', price: 19.99 });
    const puller = await shop.addProduct({ name: 'Puller', price: 5.01 });
    const purchase = await placePurchase(shop, person, [
      [winder, 2],
      [puller, 3],
    ]);
    expect(purchase).toMatchObject({ price: 55.01, currency: 'USD', paid: false, refunded: 0 });
    expect(purchase.number).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(purchase.orders).toMatchObject([
      { product: 'Winder', orderQuantity: 2, price: 39.98, purchase: purchase._id, number: purchase.number },
      { product: 'Puller', orderQuantity: 3, price: 15.03, purchase: purchase._id, number: purchase.number },
    ]);
    expect(purchase.holdUntil).toBe(purchase.orders[1]?.holdUntil);
    expect([await stockOf(shop, winder), await stockOf(shop, puller)]).toEqual([8, 7]);
    expect(await getPurchase(shop, person, purchase.number.toLowerCase().replace('-', ''))).toEqual(purchase);
  });

  test('an order through POST /orders is a purchase with a single order', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const order = await placeOrder(shop, person, await shop.addProduct({ price: 4 }), 2);
    const purchase = await getPurchase(shop, person, order.number);
    expect(purchase).toMatchObject({ _id: order.purchase, price: 8, orders: [order] });
  });

  test('a purchase with one unavailable line takes no stock and names that line', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const [plenty, few] = [
      await shop.addProduct({ price: 1 }),
      await shop.addProduct({ price: 1, a_quantity: 1 }),
    ];
    const gone = { ...plenty, _id: randomUUID() };
    const problem = await catchProblem(
      placePurchase(shop, person, [
        [plenty, 2],
        [few, 2],
        [gone, 1],
      ]),
    );
    expect(problem).toMatchObject({
      status: 409,
      type: 'urn:problem:out_of_stock',
      data: {
        lines: [
          { orderId: few._id, available: 1 },
          { orderId: gone._id, available: 0 },
        ],
      },
    });
    expect(await stockOf(shop, plenty)).toBe(10);
    expect(await shop.client(person).call('listOwnOrders', { query: { user: person.email } })).toEqual([]);
  });

  test('POST /purchases rejects a wrong total, a quantity below a minimum, and a repeated product', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct({ price: 3, o_quantity: 2 });
    const place = (orderQuantity: number, price: number, times = 1) =>
      catchProblem(
        shop.client(person).call('placePurchase', {
          body: { lines: Array(times).fill({ orderId: product._id, orderQuantity }), price },
        }),
      );
    expect(await place(2, 5.99)).toMatchObject({
      status: 409,
      type: 'urn:problem:price_changed',
      data: { price: 6 },
    });
    expect(await place(1, 3)).toMatchObject({
      status: 422,
      errors: [{ field: 'lines.0.orderQuantity', message: 'plz Input the write value' }],
    });
    expect(await place(2, 12, 2)).toMatchObject({ status: 422, errors: [{ field: 'lines' }] });
    expect(await stockOf(shop, product)).toBe(10);
  });

  test('POST /purchases with the same Idempotency-Key replays the first response', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const product = await shop.addProduct({ price: 2 });
    const body = { lines: [{ orderId: product._id, orderQuantity: 1 }], price: 2 };
    const key = randomUUID();
    const place = () => shop.client(person).call('placePurchase', { body, idempotencyKey: key });
    expect(await place()).toEqual(await place());
    expect(await stockOf(shop, product)).toBe(9);
  });

  test('one payment pays every order of a purchase', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const products = [await shop.addProduct({ price: 20 }), await shop.addProduct({ price: 7.5 })];
    const purchase = await placePurchase(
      shop,
      person,
      products.map((product) => [product, 2]),
    );
    const intent = await openPurchasePayment(shop, person, purchase);
    await confirmIntent(shop, intent);
    const [, second] = purchase.orders;
    await reportPaid(shop, person, second ?? expect.unreachable(), intent);
    const paid = await getPurchase(shop, person, purchase._id);
    expect(paid).toMatchObject({ paid: true, price: 55 });
    expect(paid.orders.map(({ orderStatus, transactionId }) => [orderStatus, transactionId])).toEqual([
      ['paid', intent.id],
      ['paid', intent.id],
    ]);
    expect(Date.parse(paid.paidAt ?? '')).toBeGreaterThan(Date.parse(paid.createdAt) - 1);
    expect(paid).not.toHaveProperty('holdUntil');
  });

  test('deleting one order returns its stock, cancels the open payment and leaves the rest payable', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const [first, second] = [await shop.addProduct({ price: 20 }), await shop.addProduct({ price: 7 })];
    const purchase = await placePurchase(shop, person, [
      [first, 1],
      [second, 1],
    ]);
    const before = await openPurchasePayment(shop, person, purchase);
    await shop
      .client(person)
      .call('deleteOrder', { params: { id: purchase.orders[0]?._id ?? expect.unreachable() } });
    expect([await stockOf(shop, first), await stockOf(shop, second)]).toEqual([10, 9]);
    expect(await confirmIntent(shop, before)).toMatchObject({
      error: { code: 'payment_intent_unexpected_state' },
    });
    const rest = await getPurchase(shop, person, purchase._id);
    expect(rest).toMatchObject({ price: 7, paid: false });
    expect(await catchProblem(openPurchasePayment(shop, person, purchase))).toMatchObject({
      type: 'urn:problem:price_changed',
      data: { price: 7 },
    });
    const intent = await openPurchasePayment(shop, person, rest);
    await confirmIntent(shop, intent);
    await reportPaid(shop, person, rest.orders[0] ?? expect.unreachable(), intent);
    expect(await getPurchase(shop, person, purchase._id)).toMatchObject({ paid: true });
  });

  test('deleting the last order of a purchase deletes the purchase, and other customers never see it', async () => {
    await using shop = await startShop({ engine });
    const [person, stranger, admin] = [await shop.signUp(), await shop.signUp(), await shop.admin()];
    const purchase = await placePurchase(shop, person, [[await shop.addProduct(), 1]]);
    const missing = { status: 404 };
    // Admins also get the disputes.
    const orders = purchase.orders.map((order) => ({ ...order, disputes: [] }));
    expect(await getPurchase(shop, admin, purchase.number)).toEqual({ ...purchase, orders });
    expect(await catchProblem(getPurchase(shop, stranger, purchase.number))).toMatchObject(missing);
    expect(await catchProblem(openPurchasePayment(shop, stranger, purchase))).toMatchObject(missing);
    for (const { _id: id } of purchase.orders)
      await shop.client(person).call('deleteOrder', { params: { id } });
    expect(await catchProblem(getPurchase(shop, person, purchase._id))).toMatchObject(missing);
    expect(await shop.database.db.selectFrom('purchase').selectAll().execute()).toEqual([]);
  });

  test('the hold of a purchase ends for all its orders at once, and all their stock is returned', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const [first, second] = [await shop.addProduct({ price: 2 }), await shop.addProduct({ price: 3 })];
    const purchase = await placePurchase(shop, person, [
      [first, 6],
      [second, 6],
    ]);
    await shop.database.db.updateTable('purchase').set({ hold_until: 1 }).execute();
    await shop.doPeriodicWork();
    const { orders } = await getPurchase(shop, person, purchase._id);
    expect(orders.map(({ orderStatus }) => orderStatus)).toEqual(['expired', 'expired']);
    expect([await stockOf(shop, first), await stockOf(shop, second)]).toEqual([10, 10]);
    expect(await catchProblem(openPurchasePayment(shop, person, purchase))).toMatchObject({
      type: 'urn:problem:order_expired',
    });
  });

  test('80 overlapping purchases of the last pieces: the stock never goes below zero, and there is never half a purchase', async () => {
    await using shop = await startShop({ engine, rateLimits: { signUpsPerAddress: 1000 } });
    const stock = 12;
    const products = await Promise.all(
      Array.from({ length: 6 }, () => shop.addProduct({ price: 1, a_quantity: stock })),
    );
    const buyers = await Promise.all(Array.from({ length: 8 }, () => shop.signUp()));
    const results = await Promise.allSettled(
      Array.from({ length: 80 }, (_, index) => {
        // Three neighbours of six products, in every order.
        const lines = [0, 1, 2].map((step) => products[(index + (index % 2 ? step : 2 - step)) % 6]);
        return placePurchase(
          shop,
          buyers[index % 8] ?? expect.unreachable(),
          lines.map((product) => [product ?? expect.unreachable(), 1 + (index % 2)]),
        );
      }),
    );
    const purchases = results.flatMap((result): Purchase[] =>
      result.status === 'fulfilled' ? [result.value] : [],
    );
    const problems = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason.problem] : [],
    );
    expect(new Set(problems.map(({ type }) => type))).toEqual(new Set(['urn:problem:out_of_stock']));
    expect(purchases.map(({ orders }) => orders.length)).toEqual(purchases.map(() => 3));
    const all = await shop.client(await shop.admin()).call('listAllOrders', { query: {} });
    expect(all).toHaveLength(purchases.length * 3);
    for (const product of products) {
      const sold = all.filter(({ orderId }) => orderId === product._id);
      const pieces = sold.reduce((sum, { orderQuantity }) => sum + orderQuantity, 0);
      expect(await stockOf(shop, product)).toBe(stock - pieces);
    }
  });
});
