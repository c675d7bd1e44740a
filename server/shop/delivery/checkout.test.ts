import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { z } from 'zod';
import type { checkout } from '../../../contract/delivery/quotes.ts';
import type { shippingEdit } from '../../../contract/delivery/shipping-rates.ts';
import { hourMs } from '../../../contract/durations.ts';
import type { Purchase } from '../../../contract/orders/purchases.ts';
import { engines } from '../../../tests/support/database.ts';
import {
  zones as allZones,
  home,
  payPurchase,
  setUpDelivery,
  toGreatBritain,
} from '../../../tests/support/delivery.ts';
import {
  confirmIntent,
  openPurchasePayment,
  placePurchase,
  requestStripe,
} from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { sendCall, type TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

type Edit = z.input<typeof shippingEdit>;

/** Without the United States. */
const zones = allZones.slice(0, 3);

/** A shop that delivers, and Tom with an unpaid purchase of 25.00 and 3.00. */
async function open(engine: (typeof engines)[number]) {
  const shop = await startShop({ engine });
  const [admin, tom] = [await shop.admin(), await shop.signUp('Tom')];
  const gauge = await shop.addProduct({ name: 'Gauge', price: 12.5 });
  const broach = await shop.addProduct({ name: 'Broach', price: 3 });
  const purchase = await placePurchase(shop, tom, [
    [gauge, 2],
    [broach, 1],
  ]);
  const params = { id: purchase._id };
  return {
    shop,
    admin,
    tom,
    gauge,
    broach,
    purchase,
    setUp: (edit: Partial<Edit> = {}) => setUpDelivery(shop, { zones, ...edit }, admin),
    quote: (query: Record<string, string>, by: TestUser = tom) =>
      shop.client(by).call('quotePurchase', { params, query }),
    save: (body: Partial<z.input<typeof checkout>>, by = tom) => {
      const saved = { version: 1, shipTo: home, rate: 'post', price: 32.5, ...body };
      return shop.client(by).call('saveCheckout', { params, body: saved });
    },
    read: () => shop.client(tom).call('getPurchase', { params }),
    pay: (current: Purchase) => openPurchasePayment(shop, tom, current),
    [Symbol.asyncDispose]: shop.close,
  };
}

const readIntent = (shop: TestShop, id: string) => requestStripe(shop, 'GET', `/payment_intents/${id}`);

const seconds = (at: string | undefined) => Date.parse(at ?? '') / 1000;

describe.each(engines)('the checkout on %s', (engine) => {
  test('saves the address, the rate and the total, which is what is paid', async () => {
    await using opened = await open(engine);
    const { shop, purchase } = opened;
    await opened.setUp();
    expect(await opened.quote({ country: 'GB', postcode: 'CV1 5FB', rate: 'post' })).toMatchObject({
      goods: 28,
      charges: [{ kind: 'delivery', label: 'Tracked 48', amount: 4.5 }],
      price: 32.5,
      rates: [
        { _id: 'pickup', price: 0 },
        { _id: 'post', price: 4.5 },
      ],
      problems: [],
    });
    const saved = await opened.save({ remark: 'Ring twice.' });
    expect(saved).toMatchObject({
      price: 32.5,
      version: 2,
      rate: 'post',
      charges: [{ kind: 'delivery', label: 'Tracked 48', amount: 4.5 }],
      shipTo: home,
      remark: 'Ring twice.',
    });
    expect(saved.orders[0]).toMatchObject({
      price: 25,
      userName: 'Tom Graham',
      address: '12 Escapement Row\nCoventry\nCV1 5FB',
    });
    // Saving the same again changes nothing.
    expect((await opened.save({ remark: 'Ring twice.' })).version).toBe(2);
    const intent = await opened.pay(saved);
    await confirmIntent(shop, intent);
    const [first] = purchase.orders;
    await shop
      .client(opened.tom)
      .call('markOrderPaid', { params: { id: first?._id ?? '' }, body: { transactionId: intent.id } });
    expect(await opened.read()).toMatchObject({ paid: true, price: 32.5 });
    const payment = await shop.database.db.selectFrom('payment').selectAll().executeTakeFirstOrThrow();
    expect(payment).toMatchObject({ amount: 3250, state: 'paid' });
  });

  test('promises dates counted from the payment, by the days that the rate took when it was saved', async () => {
    await using opened = await open(engine);
    const { shop, tom } = opened;
    onTestFinished(() => void vi.useRealTimers());
    await opened.setUp();
    // A Monday, before the cut-off time.
    vi.setSystemTime(Date.UTC(2030, 0, 7, 9));
    await shop.database.db
      .updateTable('purchase')
      .set({ hold_until: Date.UTC(2030, 1, 1) })
      .execute();
    await shop.database.db
      .updateTable('session')
      .set({ expiresAt: new Date(Date.UTC(2031, 1, 1)) })
      .execute();
    const saved = await opened.save({});
    expect(saved).not.toHaveProperty('arrives');
    await opened.setUp({ zones: [], holidays: 'GB-ENG' });
    // Friday after the cut-off time: the parcel is sent on the next Monday.
    vi.setSystemTime(Date.UTC(2030, 0, 11, 15));
    const { purchase } = await payPurchase(shop, tom, saved);
    expect(purchase.arrives).toEqual({ from: '2030-01-16', to: '2030-01-17' });
    const { send_by } = await shop.database.db
      .selectFrom('purchase')
      .select('send_by')
      .executeTakeFirstOrThrow();
    expect(send_by).toBe('2030-01-14');
  });

  test('an order to collect keeps where and when, and promises no dates', async () => {
    await using opened = await open(engine);
    const { shop, admin, tom, purchase } = opened;
    const pickup = {
      _id: 'pickup',
      name: 'Collect it',
      by: 'flat',
      price: 0,
      pickup: '5 Mill Lane',
    } as const;
    const set = (rates: Edit['zones'][number]['rates']) => opened.setUp({ zones: toGreatBritain(rates) });
    await set([{ ...pickup, days: [1, 1] }]);
    const { rates } = await opened.quote({ country: 'GB', postcode: 'CV1 5FB', rate: 'pickup' });
    expect(rates).toEqual([{ _id: 'pickup', name: 'Collect it', price: 0, pickup: '5 Mill Lane' }]);
    const shipTo = { ...home, line1: '', city: '', postcode: '' };
    const saved = await opened.save({ rate: 'pickup', price: 28, shipTo });
    // The order keeps the text of the rate that the customer has chosen.
    await set([{ ...pickup, pickup: '9 Moved Lane' }]);
    const paid = (await payPurchase(shop, tom, saved)).purchase;
    expect(paid).toMatchObject({ paid: true, pickup: '5 Mill Lane' });
    expect(paid).not.toHaveProperty('arrives');
    const own = await shop.client(tom).call('listOwnOrders', { query: { user: tom.email } });
    expect(own.map((order) => order.pickup)).toEqual(['5 Mill Lane', '5 Mill Lane']);
    const query = { orders: purchase.number };
    const { purchases } = await shop.client(admin).call('getPrintout', { query });
    expect(purchases).toMatchObject([{ delivery: 'Collect it', pickup: '5 Mill Lane' }]);
    // Its rate may be gone when the customer corrects the details.
    await set([{ ...pickup, _id: 'other' }]);
    const body = { version: paid.version, shipTo: { ...shipTo, phone: '01904 1' } };
    const params = { id: paid._id };
    expect(await shop.client(tom).call('changeDelivery', { params, body })).toMatchObject({
      modifiedCount: 1,
    });
  });

  test('rejects what cannot be sent, and changes nothing', async () => {
    await using opened = await open(engine);
    await opened.setUp();
    const attempts: [Partial<z.input<typeof checkout>>, object][] = [
      [{ rate: '' }, { status: 409, data: { problems: ['rate_gone'] } }],
      [{ rate: 'ni' }, { status: 409, data: { problems: ['rate_gone'] } }],
      [{ shipTo: { ...home, country: 'US' } }, { status: 409, data: { problems: ['no_rate'] } }],
      [{ shipTo: { ...home, postcode: '' } }, { status: 409, data: { problems: ['postcode'] } }],
      [{ shipTo: { ...home, line1: '' } }, { status: 422, errors: [{ field: 'shipTo.line1' }] }],
      [{ shipTo: { ...home, country: 'XX' } }, { status: 422 }],
      [
        { price: 28 },
        {
          status: 409,
          type: 'urn:problem:price_changed',
          detail: 'The total has changed from USD 28.00 to USD 32.50. Check it, then continue.',
          data: {
            goods: 28,
            charges: [{ kind: 'delivery', label: 'Tracked 48', amount: 4.5 }],
            price: 32.5,
            currency: 'USD',
            rates: [
              { _id: 'pickup', price: 0 },
              { _id: 'post', name: 'Tracked 48', price: 4.5 },
            ],
            problems: [],
          },
        },
      ],
      [{ version: 7 }, { status: 409, type: 'urn:problem:purchase_changed' }],
    ];
    for (const [body, problem] of attempts)
      expect(await catchProblem(opened.save(body)), JSON.stringify(body)).toMatchObject(problem);
    expect(await catchProblem(opened.save({}, opened.admin))).toMatchObject({ status: 404 });
    expect(await opened.read()).toEqual(opened.purchase);
    // A customer who collects it gives only a name.
    const collected = { rate: 'pickup', price: 28, shipTo: { name: 'Tom', country: 'GB', postcode: 'CV1' } };
    expect(await opened.save(collected)).toMatchObject({ price: 28, rate: 'pickup' });
  });

  test('a purchase without a rate cannot be paid, but a payment that was opened before stays valid', async () => {
    await using opened = await open(engine);
    const { shop, tom, purchase } = opened;
    const early = await opened.pay(purchase);
    await opened.setUp();
    expect((await opened.pay(purchase)).id).toBe(early.id);
    const later = await placePurchase(shop, tom, [[opened.broach, 2]]);
    expect(await catchProblem(openPurchasePayment(shop, tom, later))).toMatchObject({
      status: 409,
      type: 'urn:problem:checkout_incomplete',
      data: { problems: ['rate_gone'] },
    });
    // Saving the checkout replaces the open payment by one of the new total.
    const saved = await opened.save({});
    const replaced = await opened.pay(saved);
    expect(replaced.id).not.toBe(early.id);
    expect(await catchProblem(openPurchasePayment(shop, tom, purchase))).toMatchObject({
      type: 'urn:problem:price_changed',
      data: { price: 32.5 },
    });
  });

  test('choices that are rejected leave the open payment as it is', async () => {
    await using opened = await open(engine);
    await opened.setUp();
    const { id } = await opened.pay(await opened.save({}));
    for (const body of [{ rate: 'ni' }, { price: 30 }, { version: 1, remark: 'Ring.' }])
      expect(await catchProblem(opened.save({ version: 2, ...body }))).toMatchObject({ status: 409 });
    expect((await readIntent(opened.shop, id)).status).toBe('requires_payment_method');
    expect((await opened.pay(await opened.read())).id).toBe(id);
  });

  test('an open payment of another amount, which an older release left, is replaced', async () => {
    await using opened = await open(engine);
    const { shop } = opened;
    const stale = await opened.pay(opened.purchase);
    await shop.database.db.updateTable('purchase').set({ total: 2500 }).execute();
    const current = await opened.read();
    expect(current.price).toBe(25);
    const { id } = await opened.pay(current);
    expect((await readIntent(shop, id)).amount).toBe(2500);
    expect((await readIntent(shop, stale.id)).status).toBe('canceled');
  });

  test('cannot be paid once the shop no longer delivers there, or a product is not sent there, even if a payment is open', async () => {
    await using opened = await open(engine);
    await opened.setUp();
    const saved = await opened.save({});
    await opened.pay(saved);
    const { db } = opened.shop.database;
    await db.updateTable('product').set({ not_to: 'DE GB' }).where('name', '=', 'Broach').execute();
    expect(await catchProblem(opened.pay(saved))).toMatchObject({
      status: 409,
      type: 'urn:problem:checkout_incomplete',
      data: { problems: ['not_to'] },
    });
    await db.updateTable('product').set({ not_to: null }).execute();
    await opened.pay(saved);
    // Nor once the zone is gone.
    await opened.setUp({ zones: zones.filter(({ countries }) => !countries.includes('GB')) });
    expect(await catchProblem(opened.pay(saved))).toMatchObject({ data: { problems: ['no_rate'] } });
  });

  test('a deleted line clears the rate and what it costs, and keeps the address', async () => {
    await using opened = await open(engine);
    await opened.setUp();
    const { orders } = await opened.save({});
    await opened.shop.client(opened.tom).call('deleteOrder', { params: { id: orders[1]?._id ?? '' } });
    const left = await opened.read();
    expect(left).toMatchObject({ price: 25, shipTo: home });
    expect(left).not.toHaveProperty('rate');
    expect(left).not.toHaveProperty('charges');
    expect(await catchProblem(opened.pay(left))).toMatchObject({ type: 'urn:problem:checkout_incomplete' });
    await opened.save({ version: left.version, price: 29.5 });
    await opened.pay(await opened.read());
  });

  test('saving renews the hold once, by at most an hour', async () => {
    await using opened = await open(engine);
    await opened.setUp();
    const { db } = opened.shop.database;
    const setHold = (hold_until: number) => db.updateTable('purchase').set({ hold_until }).execute();
    await setHold(Date.now() + hourMs / 4);
    const { holdUntil } = await opened.save({});
    expect(seconds(holdUntil) - Date.now() / 1000).toBeCloseTo(3600, -2);
    await setHold(Date.now() + hourMs / 4);
    const again = await opened.save({ version: 2, remark: 'Ring twice.' });
    expect(seconds(again.holdUntil) - Date.now() / 1000).toBeCloseTo(900, -2);
  });

  test('a change of the address is accepted if the same rate delivers there', async () => {
    await using opened = await open(engine);
    await opened.setUp();
    await opened.save({});
    const change = (shipTo: object, version = 2) =>
      opened.shop.client(opened.tom).call('changeDelivery', {
        params: { id: opened.purchase._id },
        body: { version, shipTo: { ...home, ...shipTo } },
      });
    expect(await change({ line1: '14 Escapement Row' })).toEqual({ modifiedCount: 1, version: 3 });
    expect(await change({ postcode: 'LS1 4AP', city: 'Leeds' }, 3)).toMatchObject({ version: 4 });
    for (const elsewhere of [{ postcode: 'BT1 5GS' }, { country: 'DE' }, { country: 'US', region: 'OH' }])
      expect(await catchProblem(change(elsewhere, 4))).toMatchObject({
        status: 409,
        type: 'urn:problem:checkout_incomplete',
      });
    expect(await opened.read()).toMatchObject({ price: 32.5, shipTo: { city: 'Leeds' } });
    // The same address can be corrected, whatever has become of its rate, but not be moved to where another rate delivers.
    const rates = [{ name: 'Parcel', by: 'flat' as const, price: 25 }];
    await opened.setUp({
      zones: zones.map((zone) => (zone.name === 'Great Britain' ? { ...zone, rates } : zone)),
    });
    expect(await change({ line1: '16 Escapement Row', postcode: 'LS1 4AP' }, 4)).toMatchObject({
      version: 5,
    });
    expect(await catchProblem(change({ postcode: 'CV1 5FB' }, 5))).toMatchObject({ status: 409 });
    // The text alone would contradict the structured address.
    const text = opened.shop.client(opened.tom).call('changeDelivery', {
      params: { id: opened.purchase._id },
      body: { version: 5, address: 'Elsewhere' },
    });
    expect(await catchProblem(text)).toMatchObject({ status: 422 });
  });

  test('quotes products for everyone, before they are ordered', async () => {
    await using opened = await open(engine);
    await opened.setUp();
    const { shop, gauge } = opened;
    await shop.database.db.updateTable('product').set({ weight: 300 }).where('id', '=', gauge._id).execute();
    const quote = async (orderQuantity: number) => {
      const body = { lines: [{ orderId: gauge._id, orderQuantity }], country: 'DE' };
      return (await sendCall(shop, 'quoteLines', { body, headers: { origin: shop.origin } })).json();
    };
    expect(await quote(1)).toMatchObject({ goods: 12.5, price: 12.5, rates: [{ _id: 'de', price: 12 }] });
    expect(await quote(2)).toMatchObject({ goods: 25, rates: [], problems: ['too_heavy'] });
  });
});

test('POST /quote is limited per network address', async () => {
  const rateLimits = { quotedLinesPerAddress: 2, quotedLinesPerAddressAndSecond: 0.001 };
  await using shop = await startShop({ rateLimits });
  const { _id: orderId } = await shop.addProduct();
  const body = { lines: [{ orderId, orderQuantity: 1 }], country: 'GB' };
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++)
    statuses.push((await sendCall(shop, 'quoteLines', { body, headers: { origin: shop.origin } })).status);
  expect(statuses).toEqual([200, 200, 429]);
});

describe('the delivery rates', () => {
  test('are edited from the version that was seen, and every edit is logged', async () => {
    await using opened = await open('sqlite');
    const { shop, admin } = opened;
    expect(await shop.client().call('getShipping', {})).toMatchObject({ version: 0, zones: [] });
    const saved = await opened.setUp();
    expect(saved).toMatchObject({ version: 1, zones });
    // The same edit again changes nothing.
    const client = shop.client(admin);
    const { version: _, ...same } = saved;
    expect(await client.call('saveShipping', { body: { ...same, version: 0 } })).toEqual(saved);
    const stale = client.call('saveShipping', { body: { ...same, cutOff: '15:00', version: 0 } });
    expect(await catchProblem(stale)).toMatchObject({
      type: 'urn:problem:edit_conflict',
      data: { version: 1 },
    });
    const [entry] = await client.call('listAudit', {});
    expect(entry).toMatchObject({
      action: 'editShipping',
      details: expect.stringContaining('Tracked 48 4.5 USD'),
    });
  });

  test.each([
    ['a country twice', { zones: [zones[0], { name: 'Twice', countries: ['GB'], rates: [] }] }],
    ['an unknown country', { zones: [{ name: 'Nowhere', countries: ['XX'], rates: [] }] }],
    [
      'postcodes of two countries',
      { zones: [{ name: 'Two', countries: ['GB', 'IE'], postcodes: ['B'], rates: [] }] },
    ],
    ['no country of dispatch', { shipsFrom: '' }],
    ['a time that does not exist', { cutOff: '25:00' }],
    ['no working days', { workingDays: [] }],
    ['an unknown holiday region', { holidays: 'DE-XX' }],
    ['a closed day that does not exist', { closed: [{ from: '2026-02-30', to: '2026-02-30' }] }],
    ['a period that ends before it begins', { closed: [{ from: '2026-12-28', to: '2026-12-27' }] }],
    ['another currency', { currency: 'JPY' }],
    [
      'postcodes of a country without postcodes',
      { zones: [{ name: 'Dubai', countries: ['AE'], postcodes: ['1'], rates: [] }] },
    ],
    [
      'a place to collect that is empty',
      { zones: [{ ...home, countries: ['GB'], rates: [{ name: 'A', by: 'flat', price: 1, pickup: '' }] }] },
    ],
    ['a name twice', { zones: [zones[0], { ...zones[2], name: 'Great Britain' }] }],
  ])('are rejected with %s', async (_, edit) => {
    await using opened = await open('sqlite');
    expect(await catchProblem(opened.setUp(edit as Partial<Edit>))).toMatchObject({ status: 422 });
  });
});
