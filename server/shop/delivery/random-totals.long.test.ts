import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { buyDelivered, setUpDelivery, toGreatBritain } from '../../../tests/support/delivery.ts';
import { listLetters, waitForDelivery } from '../../../tests/support/letters.ts';
import { requestStripe } from '../../../tests/support/payments.ts';
import { sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop } from '../../../tests/support/shop.ts';
import { formatPrice, toMinor, toWire } from '../../config/currency.ts';

/** Prices in minor units. A share is the part of a rest that is refunded. */
const share = fc.constantFrom(0, 0.1, 0.5, 1);
const purchases = fc.record({
  lines: fc.array(fc.tuple(fc.integer({ min: 100, max: 99_999 }), fc.integer({ min: 1, max: 3 })), {
    minLength: 1,
    maxLength: 3,
  }),
  delivery: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9999 })),
  refunds: fc.array(fc.record({ line: fc.nat(2), share, ofDelivery: share }), { maxLength: 3 }),
  refundsRest: fc.boolean(),
});

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);

test.each(engines.flatMap((engine) => ['USD', 'JPY'].map((currency) => [engine, currency] as const)))(
  'pages, payments, messages, the CSV file, the overview and the provider agree on every total, on %s in %s',
  async (engine, currency) => {
    await using shop = await startShop({
      engine,
      settings: { SHOP_CURRENCY: currency, ORDERS_PER_MINUTE: '1000' },
      rateLimits: { intentsPerUser: 1000 },
    });
    await shop.listen();
    const [admin, tom] = [await shop.admin(), await shop.signUp('Tom')];
    const client = shop.client(admin);
    const { db } = shop.database;
    const toMinorUnits = (amount: number | undefined = 0) => toMinor(amount, currency) ?? Number.NaN;
    const expected = { paid: 0, refunded: 0, goods: 0, delivery: 0, goodsRefunded: 0, deliveryRefunded: 0 };

    await fc.assert(
      fc.asyncProperty(purchases, async ({ lines, delivery, refunds, refundsRest }) => {
        const price = toWire(delivery, currency);
        const zones = toGreatBritain([{ _id: 'post', name: 'Parcel', by: 'flat', price }]);
        await setUpDelivery(shop, { zones }, admin);
        const products = [];
        for (const [minor] of lines)
          products.push(await shop.addProduct({ price: toWire(minor, currency), a_quantity: 99 }));
        const { purchase, intent } = await buyDelivered(
          shop,
          tom,
          products.map((product, index) => [product, lines[index]?.[1] ?? 1]),
          'post',
        );
        const params = { id: purchase._id };
        const read = () => client.call('getPurchase', { params });
        const goods = lines.map(([minor, quantity]) => minor * quantity);
        const total = sum(goods) + delivery;
        expect(toMinorUnits(purchase.price)).toBe(total);

        const refunded = { goods: goods.map(() => 0), delivery: 0 };
        for (const { line, share: part, ofDelivery } of refunds) {
          const at = line % goods.length;
          const amount = Math.floor(((goods[at] ?? 0) - (refunded.goods[at] ?? 0)) * part);
          const charge = Math.floor((delivery - refunded.delivery) * ofDelivery);
          if (amount + charge === 0) continue;
          const charges = [{ kind: 'delivery' as const, amount: toWire(charge, currency) }];
          await client.call('refundOrder', {
            params: { id: purchase.orders[at]?._id ?? '' },
            body: {
              version: (await read()).version,
              amount: toWire(amount, currency),
              reason: 'other',
              quantity: 0,
              restock: 0,
              stillSend: true,
              ...(charge > 0 ? { charges } : {}),
            },
          });
          refunded.goods[at] = (refunded.goods[at] ?? 0) + amount;
          refunded.delivery += charge;
        }
        if (refundsRest && sum(refunded.goods) + refunded.delivery < total) {
          await requestStripe(shop, 'POST', '/refunds', { payment_intent: intent });
          await shop.doPeriodicWork();
          Object.assign(refunded, { goods, delivery });
        }
        const back = sum(refunded.goods) + refunded.delivery;

        const current = await read();
        expect(toMinorUnits(current.refunded)).toBe(back);
        expect(current.orders.map((order) => toMinorUnits(order.price))).toEqual(goods);
        expect(current.orders.map((order) => toMinorUnits(order.refunded))).toEqual(refunded.goods);
        expect(current.charges?.map(({ amount }) => toMinorUnits(amount))).toEqual([delivery]);
        expect(current.charges?.map((charge) => toMinorUnits(charge.refunded))).toEqual([refunded.delivery]);
        const own = await shop.client(tom).call('listOwnOrders', { query: { user: tom.email } });
        const listed = own.filter((order) => order.purchase === purchase._id);
        expect(sum(listed.map((order) => toMinorUnits(order.price)))).toBe(sum(goods));
        expect(toMinorUnits(listed[0]?.charges?.[0]?.amount)).toBe(delivery);
        const [printed] = (await client.call('getPrintout', { query: { orders: purchase._id } })).purchases;
        expect([printed?.price, printed?.refunded].map(toMinorUnits)).toEqual([total, back]);
        expect(sum((printed?.refunds ?? []).map(({ amount }) => toMinorUnits(amount)))).toBe(back);

        const paid = await requestStripe(shop, 'GET', `/payment_intents/${intent}`);
        expect(paid.amount).toBe(total);
        const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${intent}&limit=100`);
        expect(sum(data.map(({ amount }) => amount))).toBe(back);
        const payment = await db
          .selectFrom('payment')
          .select('amount')
          .where('intent', '=', intent)
          .executeTakeFirst();
        expect(payment?.amount).toBe(total);
        await waitForDelivery(shop);
        const receipt = (await listLetters(shop, tom.email)).find(
          ({ subject }) => subject === `Receipt for your order ${purchase.number}`,
        );
        expect(receipt?.text).toContain(`Total: ${formatPrice({ config: shop.config, currency }, total)}`);

        expected.paid += total;
        expected.goods += sum(goods);
        expected.delivery += delivery;
        expected.refunded += back;
        expected.goodsRefunded += sum(refunded.goods);
        expected.deliveryRefunded += refunded.delivery;
        const overview = await client.call('getOverview', {});
        expect(toMinorUnits(overview.total.revenue)).toBe(expected.paid);
        expect(toMinorUnits(overview.total.refunded)).toBe(expected.refunded);
        const { sums } = await client.call('sumOrders', { query: { from: overview.from, by: 'paid' } });
        expect(sums.map(({ amount }) => toMinorUnits(amount))).toEqual([expected.paid]);
      }),
      // A shrunk example would be added to the same totals.
      { numRuns: 8, endOnFailure: true },
    );

    const query = { format: 'csv', limit: '1000' };
    const file = await sendCall(shop, 'listAllOrders', { query, headers: tokenHeaders(admin) });
    const [headings = [], ...rows]: string[][] = parse(await file.text(), { bom: true });
    const add = (name: string) => sum(rows.map((row) => toMinorUnits(Number(row[headings.indexOf(name)]))));
    expect(add('Total')).toBe(expected.goods);
    expect(add('Delivery')).toBe(expected.delivery);
    expect(add('Refunded')).toBe(expected.goodsRefunded);
    expect(add('Delivery refunded')).toBe(expected.deliveryRefunded);
  },
  120_000,
);
