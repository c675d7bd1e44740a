import { describe, expect, test } from 'vitest';
import type { StockChange } from '../../../../contract/catalogue/stock.ts';
import { auditBooks, readBooks } from '../../../../tests/support/auditor.ts';
import { engines } from '../../../../tests/support/database.ts';
import {
  buy,
  placeOrder,
  placePurchase,
  refundOrder,
  requestStripe,
} from '../../../../tests/support/payments.ts';
import { catchProblem } from '../../../../tests/support/problem.ts';
import type { TestUser } from '../../../../tests/support/requests.ts';
import { sendCall, tokenHeaders } from '../../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../../tests/support/shop.ts';
import { lockProducts } from './stock.ts';

type Id = { _id: string };

const adjust = (shop: TestShop, admin: TestUser, { _id: id }: Id, body: object) =>
  shop.client(admin).call('adjustStock', { params: { id }, body: { reason: 'delivery', ...body } as never });

const readHistory = (shop: TestShop, admin: TestUser, { _id: id }: Id) =>
  shop.client(admin).call('listProductStock', { params: { id } });

/** Reason, change and level of each row, oldest first. */
const summarize = (rows: StockChange[]) =>
  rows.map(({ reason, change, level }) => [reason, change, level]).reverse();

async function expectBalanced({ config }: TestShop, opening: Record<string, number>): Promise<void> {
  const stock = Object.entries(opening).map(([id, pieces]) => [id, { stock: pieces }] as const);
  expect(auditBooks(await readBooks(config.database), new Map(stock))).toEqual([]);
}

describe.concurrent.each(engines)('the stock on %s', (engine) => {
  test('each change is in the history with its cause, its level, who made it and its order', async () => {
    await using shop = await startShop({ engine });
    await shop.stripe.close();
    const [admin, tom] = [await shop.admin(), await shop.signUp()];
    const { db } = shop.database;
    const product = await shop.addProduct({ a_quantity: 10 });
    const remove = (person: TestUser, { _id: id }: Id) =>
      shop.client(person).call('deleteOrder', { params: { id } });

    await adjust(shop, admin, product, { change: 5, note: 'Delivery note 4711' });
    await adjust(shop, admin, product, { change: -2, reason: 'damage' });
    const sold = await placeOrder(shop, tom, product, 3);
    await remove(tom, sold);
    const refused = await placeOrder(shop, tom, product, 1);
    await remove(admin, refused);
    const late = await placeOrder(shop, tom, product, 4);
    await db.updateTable('purchase').set({ hold_until: 1 }).execute();
    await shop.doPeriodicWork();
    const { order, intent } = await buy(shop, tom, product, 2);
    const refund = { params: { id: order._id }, body: { amount: 1, reason: 'other', restock: 1 } } as const;
    await refundOrder(shop.client(admin), refund);
    // Refund the rest at the provider, so that it refuses the next refund.
    await requestStripe(shop, 'POST', '/refunds', { payment_intent: intent.id, amount: '2400' });
    expect(await catchProblem(refundOrder(shop.client(admin), refund))).toMatchObject({ status: 402 });

    const rows = await readHistory(shop, admin, product);
    expect(summarize(rows)).toEqual([
      ['opening', 10, 10],
      ['delivery', 5, 15],
      ['damage', -2, 13],
      ['sale', -3, 10],
      ['order_deleted', 3, 13],
      ['sale', -1, 12],
      ['order_deleted', 1, 13],
      ['sale', -4, 9],
      ['hold_expired', 4, 13],
      ['sale', -2, 11],
      ['restock', 1, 12],
    ]);
    const [, delivery, , deletedSale, ownDeletion, , deletion, , expiry, sale, restock] = rows.reverse();
    expect(delivery).toMatchObject({ who: admin.email, note: 'Delivery note 4711', name: product.name });
    expect(deletedSale).toMatchObject({ _id: sold._id });
    expect(ownDeletion).toMatchObject({ note: `Order ${sold.number}` });
    expect(deletion).toMatchObject({ note: `Order ${refused.number}`, who: admin.email });
    for (const row of [deletedSale, ownDeletion, deletion]) expect(row).not.toHaveProperty('order');
    for (const row of [deletedSale, ownDeletion, expiry]) expect(row).not.toHaveProperty('who');
    expect(expiry).toMatchObject({ order: late._id, number: late.number });
    expect(sale).toMatchObject({ _id: order._id, order: order._id, number: order.number, who: tom.email });
    expect(restock).toMatchObject({ order: order._id, who: admin.email });
    const log = await shop.client(admin).call('listAudit', { query: { target: product._id } });
    expect(log.map(({ action, actor, details }) => [action, actor, details]).slice(0, 2)).toEqual([
      ['adjustStock', admin.email, 'stock (damage): 13 (was 15)'],
      ['adjustStock', admin.email, 'stock (delivery): 15 (was 10)'],
    ]);
    await expectBalanced(shop, { [product._id]: 10 });
  });

  test('admins see the pieces of open orders: they leave the shelf when they are shipped, not when they are sold or expire', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom] = [await shop.admin(), await shop.signUp()];
    const product = await shop.addProduct({ a_quantity: 20 });
    const params = { id: product._id };
    const readShelf = async () => {
      const { a_quantity, ordered } = await shop.client(admin).call('getProduct', { params });
      return [a_quantity, ordered];
    };
    expect(await readShelf()).toEqual([20, 0]);
    await placeOrder(shop, tom, await shop.addProduct({ name: 'Broach' }), 1);
    await placeOrder(shop, tom, product, 2);
    expect(await readShelf()).toEqual([18, 2]);
    await shop.database.db.updateTable('purchase').set({ hold_until: 1 }).execute();
    await shop.doPeriodicWork();
    expect(await readShelf()).toEqual([20, 0]);

    const { order } = await buy(shop, tom, product, 4);
    expect(await readShelf()).toEqual([16, 4]);
    const refund = (_id: string, amount: number, restock: number) =>
      refundOrder(shop.client(admin), {
        params: { id: _id },
        body: { amount, restock, reason: 'other' },
      });
    await refund(order._id, order.price / 4, 1);
    expect(await readShelf()).toEqual([17, 3]);
    await shop
      .client(admin)
      .call('shipOrder', { params: { id: order._id }, body: { orderStatus: 'sipping' } });
    expect(await readShelf()).toEqual([17, 0]);

    // A fully refunded order will not be shipped: its pieces are back in stock, or gone.
    const { order: broken } = await buy(shop, tom, product, 3);
    await refund(broken._id, broken.price, 1);
    expect(await readShelf()).toEqual([15, 0]);

    for (const person of [tom, undefined]) {
      const seen = await shop.client(person).call('getProduct', { params });
      expect(seen.a_quantity).toBe(15);
      expect(seen).not.toHaveProperty('ordered');
    }
  });

  test('a purchase and its expired hold are each recorded as one change per product; one list has the changes of all products', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom] = [await shop.admin(), await shop.signUp()];
    const products = [await shop.addProduct(), await shop.addProduct({ name: 'Broach', a_quantity: 8 })];
    const [gauge, broach] = products;
    if (!gauge || !broach) return expect.unreachable();
    const { number } = await placePurchase(shop, tom, [
      [gauge, 2],
      [broach, 3],
    ]);
    await shop.database.db.updateTable('purchase').set({ hold_until: 1 }).execute();
    await shop.doPeriodicWork();
    await adjust(shop, admin, broach, { change: 1 });
    const client = shop.client(admin);
    const all = await client.call('listStock', {});
    expect(all).toHaveLength(7);
    expect(all[0]).toMatchObject({ name: 'Broach', reason: 'delivery', level: 9, product: broach._id });
    expect(all.filter((row) => row.number === number)).toHaveLength(4);
    const sales = await client.call('listStock', { query: { reason: 'sale' } });
    expect(sales.map(({ name, change }) => [name, change]).sort()).toEqual([
      ['Broach', -3],
      [gauge.name, -2],
    ]);
    const opened = await client.call('listStock', { query: { reason: 'opening' } });
    expect(opened.map(({ product, level }) => [product, level])).toEqual([
      [broach._id, 8],
      [gauge._id, 10],
    ]);
    expect(await client.call('listStock', { query: { reason: 'damage' } })).toEqual([]);
    // Pages list each row once.
    for (const list of [
      (after: object) => client.list('listStock', { query: { limit: 2, ...after } }),
      (after: object) =>
        client.list('listProductStock', { params: { id: broach._id }, query: { limit: 2, ...after } }),
    ]) {
      const pages = [await list({})];
      for (let after = pages[0]?.after; after; after = pages.at(-1)?.after) pages.push(await list({ after }));
      const ids = pages.flatMap(({ rows }) => rows.map(({ _id }) => _id));
      const expected = all.filter(({ product }) => ids.length === 7 || product === broach._id);
      expect(ids).toEqual(expected.map(({ _id }) => _id));
    }
    await expectBalanced(shop, { [gauge._id]: 10, [broach._id]: 8 });
  });

  test('an adjustment below zero is a 409 with the stock, an invalid one a 422, and neither changes anything', async () => {
    await using shop = await startShop({ engine });
    const [admin, product] = [await shop.admin(), await shop.addProduct({ a_quantity: 3 })];
    expect(await catchProblem(adjust(shop, admin, product, { change: -4, reason: 'damage' }))).toMatchObject({
      status: 409,
      type: 'urn:problem:out_of_stock',
      detail: 'Only 3 in stock: you cannot remove more than that.',
      data: { available: 3 },
    });
    for (const body of [
      ...[0, 1.5, '1', null, 1_000_001, -1_000_001].map((change) => ({ change })),
      ...['sale', 'opening', '', null].map((reason) => ({ change: 1, reason })),
      { change: 1, note: 'a'.repeat(1001) },
    ])
      expect([body, await catchProblem(adjust(shop, admin, product, body))]).toMatchObject([
        body,
        { status: 422 },
      ]);
    expect(await catchProblem(adjust(shop, admin, { _id: 'x' }, { change: 1 }))).toMatchObject({
      status: 404,
    });
    expect(await readHistory(shop, admin, product)).toHaveLength(1);
    expect(await adjust(shop, admin, product, { change: -3, reason: 'damage' })).toMatchObject({
      a_quantity: 0,
    });
    expect(await catchProblem(adjust(shop, admin, product, { change: -1 }))).toMatchObject({
      detail: 'None are in stock, so none can be removed.',
    });
  });

  test('of two simultaneous counts with the same expected number, one is recorded', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom] = [await shop.admin(), await shop.signUp()];
    const product = await shop.addProduct({ a_quantity: 10 });
    const count = (pieces: number, expected: number) =>
      adjust(shop, admin, product, { change: pieces - expected, reason: 'count', expected });
    await placeOrder(shop, tom, product, 3);
    const outcomes = await Promise.allSettled([count(8, 10), count(8, 10)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await catchProblem(count(8, 10))).toMatchObject({
      status: 409,
      type: 'urn:problem:edit_conflict',
      data: { expected: 8 },
      detail: expect.stringContaining('the expected number is now 8, not 10.'),
    });
    expect(await catchProblem(count(2, 8))).toMatchObject({
      status: 409,
      type: 'urn:problem:out_of_stock',
      data: { available: 5 },
      detail: 'Customers have ordered 3, but you counted only 2. Refund or delete an order first.',
    });
    expect(await count(9, 8)).toMatchObject({ a_quantity: 6 });
    // A count that matches the stock is recorded. No other change may be 0.
    expect(await catchProblem(count(8, 8))).toMatchObject({ status: 409, data: { expected: 9 } });
    expect(await count(9, 9)).toMatchObject({ a_quantity: 6 });
    for (const body of [{ reason: 'count' }, { reason: 'other', expected: 9 }, { reason: 'delivery' }])
      expect(await catchProblem(adjust(shop, admin, product, { change: 0, ...body }))).toMatchObject({
        status: 422,
        errors: [{ field: 'change', message: 'Change must not be 0' }],
      });
    expect(summarize(await readHistory(shop, admin, product))).toEqual([
      ['opening', 10, 10],
      ['sale', -3, 7],
      ['count', -2, 5],
      ['count', 1, 6],
      ['count', 0, 6],
    ]);
    await expectBalanced(shop, { [product._id]: 10 });
  });

  test('admins cannot raise the stock above its limit, but returned pieces always go back', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom] = [await shop.admin(), await shop.signUp()];
    const product = await shop.addProduct({ a_quantity: 999_999 });
    const { _id: id } = await placeOrder(shop, tom, product, 2);
    const outcomes = await Promise.allSettled([
      adjust(shop, admin, product, { change: 3 }),
      adjust(shop, admin, product, { change: 3 }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await shop.client(tom).call('deleteOrder', { params: { id } });
    expect(await catchProblem(adjust(shop, admin, product, { change: 1 }))).toMatchObject({
      status: 409,
      type: 'urn:problem:conflict',
      data: { available: 1_000_002 },
      detail: 'The stock would be 1000003, but may be at most 1000000.',
    });
    expect(await adjust(shop, admin, product, { change: -1, reason: 'damage' })).toMatchObject({
      a_quantity: 1_000_001,
    });
    await expectBalanced(shop, { [product._id]: 999_999 });
  });

  test('any number of products can be locked', async () => {
    await using shop = await startShop({ engine });
    const ids = Array.from({ length: 70_000 }, (_, index) => `${index}`);
    await shop.database.transaction((tx) => lockProducts(tx, engine, ids));
  });

  test('an adjustment with an Idempotency-Key is made once, and its replay returns the first response', async () => {
    await using shop = await startShop({ engine });
    const [admin, product] = [await shop.admin(), await shop.addProduct({ a_quantity: 3 })];
    const send = async (change: number) => {
      const headers = { ...tokenHeaders(admin), 'idempotency-key': 'delivery-1' };
      const body = { change, reason: 'delivery' };
      return (await sendCall(shop, 'adjustStock', { params: { id: product._id }, body, headers })).json();
    };
    const [first, ...others] = await Promise.all([send(5), send(5), send(5)]);
    expect(first).toEqual({ insertedId: expect.any(String), a_quantity: 8 });
    expect(others).toEqual([first, first]);
    await adjust(shop, admin, product, { change: 1 });
    expect(await send(5)).toEqual(first);
    expect(await send(6)).toMatchObject({ status: 422 });
    expect(summarize(await readHistory(shop, admin, product))).toEqual([
      ['opening', 3, 3],
      ['delivery', 5, 8],
      ['delivery', 1, 9],
    ]);
  });

  test('concurrent sales, deletions and adjustments leave a history whose levels add up exactly', async () => {
    await using shop = await startShop({ engine });
    const admin = await shop.admin();
    const people = await Promise.all(['Tom', 'Nora', 'Eve'].map((name) => shop.signUp(name)));
    const products = [await shop.addProduct({ a_quantity: 30 }), await shop.addProduct({ a_quantity: 30 })];
    const [first, second] = products;
    if (!first || !second) return expect.unreachable();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, async (_, index) => {
        const person = people[index % people.length] ?? expect.unreachable();
        if (index % 6 === 0) return adjust(shop, admin, first, { change: -2, reason: 'damage' });
        if (index % 6 === 1) return adjust(shop, admin, second, { change: 3 });
        if (index % 6 === 2)
          return placePurchase(shop, person, [
            [index % 4 ? first : second, 1],
            [index % 4 ? second : first, 2],
          ]);
        const { _id: id } = await placeOrder(shop, person, first, 2);
        if (index % 6 === 3) await shop.client(person).call('deleteOrder', { params: { id } });
      }),
    );
    // Some orders are rejected because the product is sold out. They must not leave a row either.
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['fulfilled', 'rejected']));
    await expectBalanced(shop, { [first._id]: 30, [second._id]: 30 });
  });

  test('no edit sets the stock, and deleting a product deletes its history', async () => {
    await using shop = await startShop({ engine });
    const [admin, product] = [await shop.admin(), await shop.addProduct()];
    const params = { id: product._id };
    const edited = await sendCall(shop, 'editProduct', {
      params,
      body: { version: 1, name: 'Reamer', a_quantity: 99, available: 99 },
      headers: tokenHeaders(admin),
    });
    expect(edited.status).toBe(200);
    expect(await shop.client().call('getProduct', { params })).toMatchObject({
      name: 'Reamer',
      a_quantity: 10,
    });
    await shop.client(admin).call('deleteProduct', { params });
    expect(await catchProblem(readHistory(shop, admin, product))).toMatchObject({ status: 404 });
    expect(await shop.client(admin).call('listStock', {})).toEqual([]);
  });
});
