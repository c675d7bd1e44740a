import { describe, expect, test } from 'vitest';
import type { Product } from '../../../contract/catalogue/products.ts';
import { hourMs } from '../../../contract/durations.ts';
import { engines } from '../../../tests/support/database.ts';
import { liveSettings } from '../../../tests/support/live-settings.ts';
import { placeOrder, placePurchase } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const unconfirmed = { type: 'urn:problem:address_unconfirmed', status: 409 };

/** Settings of a live shop that sends mail. It sends no message before it listens. */
const liveWithMail = (provider: TestShop) => ({
  ...liveSettings(provider),
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'shop@shop.example',
});

const stockOf = async (shop: TestShop, { _id: id }: Product) =>
  (await shop.client().call('getProduct', { params: { id } })).a_quantity;

const readHoldHours = ({
  createdAt,
  holdUntil = '',
}: {
  createdAt: string;
  holdUntil?: string | undefined;
}) => Math.round((Date.parse(holdUntil) - Date.parse(createdAt)) / hourMs);

describe.concurrent.each(engines)('stock held with unconfirmed addresses on %s', (engine) => {
  test('in a live shop that sends mail, users with unconfirmed addresses can together hold half of a product, for an hour', async () => {
    await using provider = await startShop();
    await using shop = await startShop({ engine, settings: liveWithMail(provider) });
    const [eve, tom, ann] = [
      await shop.signUp('Eve'),
      await shop.signUp('Tom'),
      await shop.signUpConfirmed('Ann'),
    ];
    const [winder, lamp, last] = [
      await shop.addProduct({ name: 'Winder', a_quantity: 20 }),
      await shop.addProduct({ name: 'Lamp', a_quantity: 7, o_quantity: 2 }),
      await shop.addProduct({ name: 'Last one', a_quantity: 1 }),
    ];
    expect(await catchProblem(placeOrder(shop, eve, winder, 20))).toMatchObject({
      ...unconfirmed,
      detail:
        'Until your email address is confirmed, you can order at most 10 of Winder. Order fewer, or confirm your address on your account page.',
      data: { orderId: winder._id, available: 10 },
    });
    expect(
      await catchProblem(
        placePurchase(shop, eve, [
          [last, 1],
          [lamp, 7],
        ]),
      ),
    ).toMatchObject({
      ...unconfirmed,
      data: { orderId: lamp._id, available: 4 },
    });
    // Nothing was taken.
    expect([await stockOf(shop, winder), await stockOf(shop, lamp), await stockOf(shop, last)]).toEqual([
      20, 7, 1,
    ]);
    const purchase = await placePurchase(shop, eve, [
      [winder, 6],
      [last, 1],
    ]);
    expect(readHoldHours(purchase)).toBe(1);
    expect(await catchProblem(placeOrder(shop, tom, winder, 5))).toMatchObject({
      ...unconfirmed,
      data: { available: 4 },
    });
    const order = await placeOrder(shop, tom, winder, 4);
    expect(readHoldHours(order)).toBe(1);
    expect(await catchProblem(placeOrder(shop, tom, winder, 1))).toMatchObject({
      ...unconfirmed,
      detail:
        'Customers who have not confirmed their email address have already reserved all of Winder that they can. Confirm yours on your account page, then order it.',
    });
    // A customer with a confirmed address can order everything that is left, for three days.
    expect(readHoldHours(await placeOrder(shop, ann, winder, 10))).toBe(72);
    expect(await stockOf(shop, winder)).toBe(0);

    // A hold stays as it was set when the order was placed, and no longer counts once the address is confirmed.
    const { db } = shop.database;
    await db.updateTable('user').set({ emailVerified: true }).where('email', '=', tom.email).execute();
    const params = { id: order._id };
    expect(readHoldHours(await shop.client(tom).call('getOrder', { params }))).toBe(1);
    await shop.client(tom).call('deleteOrder', { params });
    expect(readHoldHours(await placeOrder(shop, tom, winder, 4))).toBe(72);
  });

  test('simultaneous orders of users with unconfirmed addresses never hold more than their share', async () => {
    const settings = { UNCONFIRMED_STOCK_PERCENT: '40', UNPAID_ORDERS_PER_PERSON: '20' };
    await using shop = await startShop({ engine, settings, rateLimits: { signUpsPerAddress: 1000 } });
    const people = await Promise.all(Array.from({ length: 8 }, () => shop.signUp()));
    const products = [
      await shop.addProduct({ a_quantity: 10 }),
      await shop.addProduct({ a_quantity: 10 }),
    ] as const;
    const results = await Promise.allSettled(
      people.flatMap((person) => [
        placeOrder(shop, person, products[0]),
        placePurchase(shop, person, [
          [products[1], 1],
          [products[0], 1],
        ]),
        placeOrder(shop, person, products[1]),
      ]),
    );
    const rejected = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason.problem] : [],
    );
    expect(new Set(rejected.map(({ type }) => type))).toEqual(new Set([unconfirmed.type]));
    expect([await stockOf(shop, products[0]), await stockOf(shop, products[1])]).toEqual([6, 6]);
  });

  test('a sandbox, and a live shop without mail, do not limit what unconfirmed users hold', async () => {
    await using provider = await startShop();
    for (const settings of [{}, { ...liveSettings(provider), UNCONFIRMED_STOCK_PERCENT: '10' }]) {
      await using shop = await startShop({ engine, settings });
      const product = await shop.addProduct();
      expect(readHoldHours(await placeOrder(shop, await shop.signUp(), product, 10))).toBe(72);
    }
  });
});

describe.concurrent.each(engines)('orders per person and minute on %s', (engine) => {
  test('a live shop limits the orders, however many are placed at once; each product of a purchase counts', async () => {
    await using provider = await startShop();
    await using shop = await startShop({
      engine,
      settings: { ...liveSettings(provider), ORDERS_PER_MINUTE: '50', UNPAID_ORDERS_PER_PERSON: '1000' },
    });
    const [tom, ann] = [await shop.signUp('Tom'), await shop.signUp('Ann')];
    const [product, other] = [
      await shop.addProduct({ a_quantity: 1000 }),
      await shop.addProduct({ a_quantity: 1000 }),
    ];
    await placePurchase(shop, tom, [
      [product, 1],
      [other, 1],
    ]);
    // Rejected orders do not count.
    for (let index = 0; index < 3; index++)
      expect(await catchProblem(placeOrder(shop, tom, product, 2000))).toMatchObject({ status: 409 });
    const results = await Promise.allSettled(
      Array.from({ length: 52 }, () => placeOrder(shop, tom, product)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(48);
    expect(
      await catchProblem(
        placePurchase(shop, tom, [
          [product, 1],
          [other, 1],
        ]),
      ),
    ).toMatchObject({
      status: 429,
      detail: 'Too many orders: wait 1 minute and try again.',
    });
    await placeOrder(shop, ann, product);
    // A minute later, the customer can order again. The limit per day is ten times as high.
    const { db } = shop.database;
    const names = (window: string) => `orders per ${window} %`;
    await db.updateTable('rate_limit').set({ ends_at: 1 }).where('name', 'like', names('minute')).execute();
    await placeOrder(shop, tom, product);
    await db.updateTable('rate_limit').set({ count: 500 }).where('name', 'like', names('day')).execute();
    expect(await catchProblem(placeOrder(shop, tom, product))).toMatchObject({
      status: 429,
      detail: 'Too many orders: wait 24 hours and try again.',
    });
  });
});
