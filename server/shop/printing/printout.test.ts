import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { home, payPurchase, saveCheckout, setUpDelivery } from '../../../tests/support/delivery.ts';
import { buy, buyTogether, placeOrder, placePurchase, refundOrder } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { recordStatements } from '../../../tests/support/statements.ts';

const print = (shop: TestShop, person: TestUser, orders: string[]) =>
  shop.client(person).call('getPrintout', { query: { orders: orders.join(',') } });

describe.each(engines)('on %s', (engine) => {
  test('GET /printout shows the amounts charged and refunded, whatever the product costs now', async () => {
    await using shop = await startShop({ engine });
    const [tom, ada] = [await shop.signUp('Tom'), await shop.admin()];
    const admin = shop.client(ada);
    const winder = await shop.addProduct({ name: 'Winder', price: 12.35 });
    const puller = await shop.addProduct({ name: 'Puller', price: 4 });
    const bought = await buyTogether(shop, tom, [
      [winder, 3],
      [puller, 1],
    ]);
    const edit = { version: 1, price: 99, name: 'Key winder' };
    await admin.call('editProduct', { params: { id: winder._id }, body: edit });
    const [first, second] = bought.orders.map(({ _id }) => _id);
    if (!first || !second) throw new Error('A purchase of two orders.');
    const refund = (id: string, amount: number) =>
      refundOrder(admin, { params: { id }, body: { amount, reason: 'other' } });
    await refund(first, 5.05);
    await refund(second, 4);
    const details = { name: 'Fusee Ltd', address: '1 Mill Lane\nYork', taxId: 'VAT GB 1' };
    await admin.call('saveShopDetails', { body: { version: 0, ...details } });

    const { shop: seller, purchases, skipped } = await print(shop, tom, [bought.number]);
    expect([seller, skipped]).toEqual([details, []]);
    const [{ barcode, refunds, ...purchase } = { barcode: [], refunds: [] }] = purchases;
    expect(barcode.length % 2).toBe(1);
    expect(refunds).toMatchObject([{ amount: 5.05 }, { amount: 4 }]);
    expect(purchase).toEqual({
      _id: bought._id,
      number: bought.number,
      user: tom.email,
      userName: 'Tom',
      address: '',
      createdAt: bought.createdAt,
      paidAt: bought.paidAt,
      lines: [
        {
          _id: first,
          product: 'Winder',
          quantity: 3,
          unitPrice: 12.35,
          price: 37.05,
          refunded: 5.05,
          toPack: 3,
        },
        {
          _id: second,
          product: 'Puller',
          quantity: 1,
          unitPrice: 4,
          price: 4,
          refunded: 4,
          removedQuantity: 1,
          toPack: 0,
        },
      ],
      price: 41.05,
      currency: 'USD',
      refunded: 9.05,
    });
  });

  test('GET /printout says which lines are shipped, and how many of their pieces are refunded', async () => {
    await using shop = await startShop({ engine });
    const [tom, ada] = [await shop.signUp('Tom'), await shop.admin()];
    const [winder, puller] = [await shop.addProduct(), await shop.addProduct()];
    const { number, orders } = await buyTogether(shop, tom, [
      [winder, 3],
      [puller, 1],
    ]);
    const [first, second] = orders.map(({ _id }) => ({ id: _id }));
    if (!first || !second) throw new Error('A purchase of two orders.');
    const admin = shop.client(ada);
    const body = { amount: 2, reason: 'other', quantity: 2, restock: 1 } as const;
    await refundOrder(admin, { params: first, body });
    await admin.call('shipOrder', { params: second, body: { orderStatus: 'sipping' } });
    const { shippedAt } = await admin.call('getOrder', { params: second });
    const readLines = async (person: TestUser) => (await print(shop, person, [number])).purchases[0]?.lines;
    const unshipped = { _id: first.id, refunded: 2, removedQuantity: 2, toPack: 1 };
    const shipped = { _id: second.id, refunded: 0, shippedQuantity: 1, shippedAt, toPack: 0 };
    expect(await readLines(ada)).toMatchObject([unshipped, shipped]);
    const own = await readLines(tom);
    expect(own).toMatchObject([unshipped, shipped]);
    for (const line of own ?? []) expect(line).not.toHaveProperty('hasUnknownRefund');
    expect(own?.[0]).not.toHaveProperty('shippedQuantity');
    await shop.database.db.updateTable('refund_line').set({ quantity: null }).execute();
    expect(await readLines(tom)).toMatchObject([
      { _id: first.id, removedQuantity: 2, hasUnknownRefund: true },
      { _id: second.id },
    ]);
  });

  test('GET /printout labels a tax number that was entered without its name', async () => {
    await using shop = await startShop({ engine });
    const [tom, ada] = [await shop.signUp(), await shop.admin()];
    const { order } = await buy(shop, tom, await shop.addProduct());
    for (const [version, [entered, taxId]] of [
      ['DE123456789', 'Tax number DE123456789'],
      ['GB 123 4567 89', 'Tax number GB 123 4567 89'],
      ['CHE-123.456.789 MWST', 'Tax number CHE-123.456.789 MWST'],
      ['VAT GB 123 4567 89', 'VAT GB 123 4567 89'],
      ['EU VAT 1', 'EU VAT 1'],
      ['税号 1', '税号 1'],
      ['USt-IdNr.: DE123456789', 'USt-IdNr.: DE123456789'],
      ['', ''],
    ].entries()) {
      const body = { version, name: 'Fusee Ltd', address: '', taxId: entered ?? '' };
      await shop.client(ada).call('saveShopDetails', { body });
      expect((await print(shop, tom, [order.number])).shop.taxId).toBe(taxId);
    }
  });

  test('prints each purchase once, in the order of the request, and says what it skips', async () => {
    await using shop = await startShop({ engine });
    const [tom, eve, ada] = [await shop.signUp('Tom'), await shop.signUp('Eve'), await shop.admin()];
    const product = await shop.addProduct();
    const one = (await buy(shop, tom, product)).order;
    const other = await buyTogether(shop, eve, [[product, 2]]);
    const unpaid = await placeOrder(shop, tom, product);
    const asked = [
      other.orders[0]?._id ?? '',
      unpaid._id,
      one.number.toLowerCase().replace('-', ''),
      other._id,
      'nothing',
      other.number,
    ];
    const all = await print(shop, ada, asked);
    expect(all.purchases.map(({ _id }) => _id)).toEqual([other._id, one.purchase]);
    expect(all.skipped).toEqual([
      { reference: 'nothing', reason: 'not_found' },
      { reference: unpaid.number, reason: 'unpaid' },
    ]);
    // Another customer's purchase looks like one that does not exist.
    const own = await print(shop, tom, [one._id, other.number]);
    expect(own.purchases.map(({ user }) => user)).toEqual([tom.email]);
    expect(own.skipped).toEqual([{ reference: other.number, reason: 'not_found' }]);
    expect(await catchProblem(print(shop, tom, [other._id, other.number]))).toMatchObject({ status: 404 });
    expect(await catchProblem(print(shop, tom, ['']))).toMatchObject({ status: 422 });
    const tooMany = Array.from({ length: 51 }, (_, index) => `${index}`);
    expect(await catchProblem(print(shop, ada, tooMany))).toMatchObject({
      status: 422,
      detail: 'At most 50 orders can be printed at once',
    });
  });

  test('GET /printout shows how a purchase is sent, what that costs, and what of it is refunded', async () => {
    await using shop = await startShop({ engine });
    const [tom, ada] = [await shop.signUp('Tom'), await shop.admin()];
    await setUpDelivery(shop, {}, ada);
    const gauge = await shop.addProduct({ name: 'Gauge', price: 12.5 });
    const placed = await placePurchase(shop, tom, [[gauge, 2]]);
    const billTo = { ...home, name: 'Graham & Co', line1: '1 Mill Lane' };
    const saved = await saveCheckout(shop, tom, placed, 'post', { billTo, remark: 'Ring twice.' });
    const { purchase } = await payPurchase(shop, tom, saved);
    const charges = [{ kind: 'delivery' as const, amount: 1.5 }];
    const body = { amount: 12.5, reason: 'other' as const, charges };
    await refundOrder(shop.client(ada), { params: { id: purchase.orders[0]?._id ?? '' }, body });
    const printed = (await print(shop, tom, [purchase.number])).purchases;
    expect(printed).toMatchObject([
      {
        address: '12 Escapement Row\nCoventry\nCV1 5FB',
        billTo: 'Graham & Co\n1 Mill Lane\nCoventry\nCV1 5FB\nUNITED KINGDOM',
        delivery: 'Tracked 48 to United Kingdom',
        remark: 'Ring twice.',
        charges: [{ kind: 'delivery', label: 'Tracked 48', amount: 4.5 }],
        price: 29.5,
        refunds: [
          { product: 'Gauge', amount: 12.5 },
          { product: 'Delivery', amount: 1.5 },
        ],
        refunded: 14,
      },
    ]);
  });

  test('needs no more statements for many purchases than for one', async () => {
    await using shop = await startShop({ engine });
    const [tom, ada] = [await shop.signUp('Tom'), await shop.admin()];
    const product = await shop.addProduct({ a_quantity: 100 });
    const numbers: string[] = [];
    for (let count = 0; count < 4; count++) numbers.push((await buy(shop, tom, product)).order.number);
    // The first request also reads the delivery rates.
    await print(shop, ada, numbers);
    for (const orders of [numbers.slice(0, 1), numbers]) {
      const { result, statementsOf } = await recordStatements(() => print(shop, ada, orders));
      expect(result.purchases).toHaveLength(orders.length);
      expect(statementsOf(shop.database.db)).toHaveLength(5);
    }
  });
});
