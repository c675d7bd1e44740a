import { describe, expect, test } from 'vitest';
import type { Shipment } from '../../../contract/orders/shipping.ts';
import { engines } from '../../../tests/support/database.ts';
import { buy, placeOrder, refundOrder, shipOrder } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { startShop } from '../../../tests/support/shop.ts';

const ups = '1Z5R89390357567127';
const upsLink = `https://www.ups.com/track?tracknum=${ups}`;

async function startWithPaidOrder(engine: (typeof engines)[number]) {
  const shop = await startShop({ engine });
  const [admin, customer] = [await shop.admin(), await shop.signUp()];
  const product = await shop.addProduct();
  const { order } = await buy(shop, customer, product);
  const client = shop.client(admin);
  const params = { id: order._id };
  return {
    shop,
    admin,
    customer,
    product,
    params,
    ship: (tracking: Partial<Shipment> = {}, id = order._id) =>
      shipOrder(client, { params: { id }, body: { orderStatus: 'sipping', ...tracking } }),
    read: () => shop.client(customer).call('getOrder', { params }),
    listAudit: async () =>
      (await client.call('listAudit', { query: { target: order._id } })).map((entry) => [
        entry.actor,
        entry.action,
        entry.name,
        entry.number,
        entry.details.split('\n').filter(Boolean),
      ]),
    [Symbol.asyncDispose]: shop.close,
  };
}

describe.concurrent.each(engines)('on %s', (engine) => {
  test('if a refund and a shipment run at once, pieces that return to stock are not shipped', async () => {
    await using shop = await startShop({ engine });
    const [admin, customer, product] = [await shop.admin(), await shop.signUp(), await shop.addProduct()];
    const client = shop.client(admin);
    await client.call('adjustStock', {
      params: { id: product._id },
      body: { change: 90, reason: 'delivery' },
    });
    const before = (await client.call('getProduct', { params: { id: product._id } })).a_quantity;
    const orders = [];
    for (let count = 0; count < 8; count++) orders.push((await buy(shop, customer, product, 2)).order);
    const refund = (id: string, restock = 1) =>
      refundOrder(client, {
        params: { id },
        body: { amount: 1, quantity: 1, restock, reason: 'other' },
      });
    const refunds = orders.map(({ _id }) =>
      refund(_id).then(
        () => undefined,
        () => _id,
      ),
    );
    const ship = ({ _id: id }: { _id: string }) =>
      client.call('shipOrder', { params: { id }, body: { orderStatus: 'sipping' } });
    await Promise.all(orders.map(ship));
    // An admin whose version was outdated reloads the page: the piece has been shipped.
    const late = (await Promise.all(refunds)).filter((id) => id !== undefined);
    for (const id of late) {
      expect(await catchProblem(refund(id))).toMatchObject({ status: 409, errors: [{ field: 'restock' }] });
      await refund(id, 0);
    }
    const after = (await client.call('getProduct', { params: { id: product._id } })).a_quantity;
    expect(after).toBe(before - orders.length - late.length);
    const rows = await shop.database.db.selectFrom('order_line').select(['id', 'returned']).execute();
    for (const { id, returned } of rows) expect(returned).toBe(late.includes(id) ? 0 : 1);
  });

  test('an admin who does not know of a refund cannot ship the order', async () => {
    await using paid = await startWithPaidOrder(engine);
    const { version } = await paid.read();
    const refund = { amount: 1, reason: 'other' } as const;
    await refundOrder(paid.shop.client(paid.admin), { params: paid.params, body: refund });
    const rejected = {
      type: 'urn:problem:purchase_changed',
      status: 409,
      data: { version: version + 1 },
      detail: 'This order has changed since you loaded the page. Check what has changed, then try again.',
    };
    expect(await catchProblem(paid.ship({ version }))).toMatchObject(rejected);
    expect(await catchProblem(paid.ship({ version, trackingNumber: ups }))).toMatchObject(rejected);
    expect(await paid.read()).toMatchObject({ orderStatus: 'paid', version: version + 1 });
    const shipped = { version: version + 2 };
    expect(await paid.ship({ version: version + 1 })).toEqual({ modifiedCount: 1, ...shipped });
    // A call that changes nothing is answered before the version is compared.
    expect(await paid.ship({ version })).toEqual({ modifiedCount: 0, ...shipped });
    expect(await catchProblem(paid.ship({ version, trackingNumber: ups }))).toMatchObject({ status: 409 });
    // The version does not count corrections of the tracking.
    const tracking = { ...shipped, trackingNumber: ups };
    expect(await paid.ship(tracking)).toEqual({ modifiedCount: 1, ...shipped });
    expect(await paid.ship({ ...tracking, version })).toEqual({ modifiedCount: 0, ...shipped });
  });

  test('a shipment with any field but the status needs the version that the admin has seen', async () => {
    await using paid = await startWithPaidOrder(engine);
    const admin = paid.shop.client(paid.admin);
    const { params } = paid;
    for (const field of ['carrier', 'trackingNumber', 'trackingUrl', 'sharedNumber']) {
      const body = { orderStatus: 'sipping' as const, [field]: '' };
      expect(await catchProblem(admin.call('shipOrder', { params, body }))).toMatchObject({
        status: 422,
        errors: [{ field: 'version', message: 'Version is Required' }],
      });
    }
    const { version } = await paid.read();
    const body = { orderStatus: 'sipping' as const };
    expect(await admin.call('shipOrder', { params, body })).toEqual({
      modifiedCount: 1,
      version: version + 1,
    });
  });

  test('an order is shipped with its tracking, which can be corrected; its shipping time does not change', async () => {
    await using paid = await startWithPaidOrder(engine);
    const unshipped = await paid.read();
    expect(unshipped).toMatchObject({ orderStatus: 'paid', paidAt: expect.any(String) });
    for (const field of ['shippedAt', 'carrier', 'trackingNumber', 'trackingUrl'])
      expect(unshipped).not.toHaveProperty(field);

    const before = Date.now();
    expect(await paid.ship({ trackingNumber: '1Z5R 8939 0357 5671 27' })).toMatchObject({ modifiedCount: 1 });
    const shipped = await paid.read();
    expect(shipped).toMatchObject({ orderStatus: 'sipping', carrier: 'UPS', trackingUrl: upsLink });
    expect(shipped.trackingNumber).toBe(ups);
    const shippedAt = shipped.shippedAt ?? expect.unreachable();
    expect(Date.parse(shippedAt)).toBeGreaterThanOrEqual(before);

    // Nothing changes if the tracking is the same, or if the request has none, like requests from before tracking existed.
    expect(await paid.ship({ trackingNumber: ups })).toMatchObject({ modifiedCount: 0 });
    expect(await paid.ship()).toMatchObject({ modifiedCount: 0 });
    expect(await paid.read()).toEqual(shipped);

    const trackingUrl = 'https://couriers.example/parcels/17?lang=en';
    expect(await paid.ship({ carrier: 'Bike courier', trackingNumber: 'A-17', trackingUrl })).toMatchObject({
      modifiedCount: 1,
    });
    expect(await paid.read()).toMatchObject({
      orderStatus: 'sipping',
      shippedAt,
      carrier: 'Bike courier',
      trackingNumber: 'A-17',
      trackingUrl,
    });
    expect(await paid.ship({ carrier: 'royal mail', trackingNumber: 'AB/12' })).toMatchObject({
      modifiedCount: 1,
    });
    expect(await paid.read()).toMatchObject({
      shippedAt,
      carrier: 'Royal Mail',
      trackingUrl: 'https://www.royalmail.com/track-your-item#/tracking-results/AB%2F12',
    });
    expect(await paid.ship({ trackingNumber: '' })).toMatchObject({ modifiedCount: 1 });
    const cleared = await paid.read();
    for (const field of ['carrier', 'trackingNumber', 'trackingUrl'])
      expect(cleared).not.toHaveProperty(field);

    const { admin, product, shop, customer } = paid;
    const about = [product.name, unshipped.number];
    expect(await paid.listAudit()).toEqual([
      [
        admin.email,
        'editTracking',
        ...about,
        ['carrier: none (was Royal Mail)', 'trackingNumber: none (was AB/12)'],
      ],
      [
        admin.email,
        'editTracking',
        ...about,
        [
          'carrier: Royal Mail (was Bike courier)',
          'trackingNumber: AB/12 (was A-17)',
          `trackingUrl: none (was ${trackingUrl})`,
        ],
      ],
      [
        admin.email,
        'editTracking',
        ...about,
        [
          'carrier: Bike courier (was UPS)',
          `trackingNumber: A-17 (was ${ups})`,
          `trackingUrl: ${trackingUrl} (was none)`,
        ],
      ],
      [admin.email, 'shipOrder', ...about, ['carrier: UPS (was none)', `trackingNumber: ${ups} (was none)`]],
    ]);
    // Lists have the tracking fields, too.
    await paid.ship({ trackingNumber: ups });
    const query = { user: customer.email };
    const [listed] = await shop.client(customer).call('listOwnOrders', { query });
    expect(listed).toMatchObject({ shippedAt, carrier: 'UPS', trackingUrl: upsLink });
  });

  test('tracking fields have maximum lengths, links must be https, and only paid orders are shipped', async () => {
    await using paid = await startWithPaidOrder(engine);
    const rejections: [Partial<Shipment>, string][] = [
      [{ trackingNumber: 'A'.repeat(61) }, 'Tracking number must be 60 characters or shorter'],
      [
        { trackingNumber: '"><script>' },
        'Tracking number can only have letters, digits, hyphens, dots and slashes',
      ],
      [{ carrier: 'U'.repeat(61) }, 'Carrier must be 60 characters or shorter'],
      [{ carrier: 'Post\nOffice' }, 'Carrier must be a single line'],
      ...[
        'http://couriers.example/1',
        'javascript:alert(1)',
        'https://bank.example@couriers.example/1',
        'https:\\\\couriers.example',
        'https://couriers.example/a b',
        'couriers.example/1',
        'https://',
      ].map((trackingUrl): [Partial<Shipment>, string] => [
        { trackingUrl },
        'Tracking link must be a URL that starts with https://',
      ]),
      [
        { trackingUrl: `https://a.example/${'a'.repeat(500)}` },
        'Tracking link must be 500 characters or shorter',
      ],
    ];
    for (const [tracking, message] of rejections)
      expect(await catchProblem(paid.ship(tracking))).toMatchObject({
        status: 422,
        errors: [{ field: Object.keys(tracking)[0], message }],
      });
    expect((await paid.read()).orderStatus).toBe('paid');

    const unpaid = await placeOrder(paid.shop, paid.customer, paid.product);
    expect(await catchProblem(paid.ship({ trackingNumber: ups }, unpaid._id))).toMatchObject({
      status: 409,
      type: 'urn:problem:not_paid',
    });
    const own = await paid.shop.client(paid.customer).call('getOrder', { params: { id: unpaid._id } });
    expect([own.orderStatus, own.trackingNumber]).toEqual(['', undefined]);
  });

  test('another customer’s tracking number must be confirmed; orders of the same customer may share one', async () => {
    await using paid = await startWithPaidOrder(engine);
    const { shop, ship } = paid;
    const { number } = await paid.read();
    const other = await shop.signUp();
    const { order } = await buy(shop, other, paid.product);
    const read = () => shop.client(other).call('getOrder', { params: { id: order._id } });
    const lowerCase = ups.toLowerCase();
    await ship({ trackingNumber: ups });

    const detail = `Another customer’s order, ${number}, has the same tracking number. Scan the label again, or press Ship again to use it anyway.`;
    const rejection = {
      status: 409,
      type: 'urn:problem:shared_number',
      detail,
      data: { number },
      errors: [{ field: 'trackingNumber', message: detail }],
    };
    const before = await shop.database.db.selectFrom('mail').select('id').execute();
    expect(await catchProblem(ship({ trackingNumber: lowerCase }, order._id))).toMatchObject(rejection);
    // These confirmations are for other numbers; the second is too long for a tracking number.
    expect(
      await catchProblem(ship({ trackingNumber: lowerCase, sharedNumber: 'A-17' }, order._id)),
    ).toMatchObject(rejection);
    expect(
      await catchProblem(ship({ trackingNumber: lowerCase, sharedNumber: 'A'.repeat(61) }, order._id)),
    ).toMatchObject(rejection);
    expect((await read()).orderStatus).toBe('paid');
    expect(await shop.database.db.selectFrom('mail').select('id').execute()).toEqual(before);
    const unpaid = await placeOrder(shop, other, paid.product);
    expect(await catchProblem(ship({ trackingNumber: ups }, unpaid._id))).toMatchObject({
      type: 'urn:problem:not_paid',
    });

    expect(await ship({}, order._id)).toMatchObject({ modifiedCount: 1 });
    expect(await catchProblem(ship({ trackingNumber: lowerCase }, order._id))).toMatchObject({
      status: 409,
      detail: detail.replace('press Ship again', 'press Save tracking again'),
    });
    const spaced = ` ${lowerCase.slice(0, 4)} ${lowerCase.slice(4)} `;
    expect(await ship({ trackingNumber: lowerCase, sharedNumber: spaced }, order._id)).toMatchObject({
      modifiedCount: 1,
    });
    // A confirmed number is not questioned again.
    expect(await ship({ trackingNumber: lowerCase, carrier: 'DHL' }, order._id)).toMatchObject({
      modifiedCount: 1,
    });
    expect(await read()).toMatchObject({ carrier: 'DHL', trackingNumber: lowerCase });

    const [second, third] = [
      await buy(shop, paid.customer, paid.product),
      await buy(shop, other, paid.product),
    ];
    await ship({ trackingNumber: 'A-17' });
    await ship({ trackingNumber: 'A-17' }, second.order._id);
    expect(await shop.client(paid.customer).call('getOrder', { params: paid.params })).toMatchObject({
      trackingNumber: 'A-17',
    });
    // After their accounts are deleted, customers still count as different ones.
    await shop.database.db.updateTable('order_line').set({ user_id: null }).execute();
    expect(await catchProblem(ship({ trackingNumber: 'a-17' }, third.order._id))).toMatchObject({
      type: 'urn:problem:shared_number',
    });
  });

  test('a scanned code is stored as the number that people read, and both find the order', async () => {
    await using paid = await startWithPaidOrder(engine);
    const search = async (q: string) => {
      const found = await paid.shop.client(paid.admin).call('listAllOrders', { query: { q } });
      return found.map(({ _id }) => _id);
    };
    const { id } = paid.params;
    const codes = [
      ['420221539101026837331000039521', '9101026837331000039521', 'USPS'],
      [']C142022153\x1d9101026837331000039521', '9101026837331000039521', 'USPS'],
      ['4201002334249200190132607600833457', '9200190132607600833457', 'USPS'],
      ['1001921334250001000300779017972697', '779017972697', 'FedEx'],
      ['9622001560001234567100794808390594', '794808390594', 'FedEx'],
      ['%000646001905023456789101276', '01905023456789', 'DPD'],
    ] as const;
    for (const [code, trackingNumber, carrier] of codes) {
      await paid.ship({ trackingNumber: code });
      expect(await paid.read()).toMatchObject({ trackingNumber, carrier });
      expect([code, await search(code), await search(trackingNumber)]).toEqual([code, [id], [id]]);
      // The printed number is the same number, so nothing changes.
      expect(await paid.ship({ trackingNumber })).toMatchObject({ modifiedCount: 0 });
    }
    expect(await search('420221539101026837331000039521')).toEqual([]);

    // The same label is scanned for another customer's order, and confirmed.
    const other = await buy(paid.shop, await paid.shop.signUp(), paid.product);
    const trackingNumber = '%000646001905023456789101276';
    expect(await catchProblem(paid.ship({ trackingNumber }, other.order._id))).toMatchObject({
      type: 'urn:problem:shared_number',
    });
    expect(await paid.ship({ trackingNumber, sharedNumber: trackingNumber }, other.order._id)).toMatchObject({
      modifiedCount: 1,
    });

    // The number of a logistic unit is printed with or without its application identifier.
    await paid.ship({ trackingNumber: '(00)340434161094015902' });
    expect((await paid.read()).trackingNumber).toBe('00340434161094015902');
    for (const q of ['340434161094015902', '00340434161094015902', ']C100340434161094015902'])
      expect([q, await search(q)]).toEqual([q, [id]]);
  });

  test('when admins ship an order at once, one succeeds; the log has every replaced tracking number', async () => {
    await using paid = await startWithPaidOrder(engine);
    const { version } = await paid.read();
    const numbers = Array.from({ length: 8 }, (_, index) => `PARCEL-${index}`);
    const results = await Promise.allSettled(
      numbers.map((trackingNumber) => paid.ship({ version, trackingNumber })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason.problem).toMatchObject({
          type: 'urn:problem:purchase_changed',
          data: { version: version + 1 },
        });
    const corrected = numbers.map((trackingNumber) => ({ trackingNumber: `${trackingNumber}-B` }));
    await Promise.all(corrected.map((tracking) => paid.ship({ version: version + 1, ...tracking })));
    const entries = (await paid.listAudit()).reverse();
    expect(entries.map(([, what]) => what)).toEqual(['shipOrder', ...Array(8).fill('editTracking')]);
    // Each value replaces the one before it.
    const changes = entries.map(([, , , , details]) => /: (.+) \(was (.+)\)/.exec(String(details))?.slice(1));
    expect(changes.map((change) => change?.[1])).toEqual([
      'none',
      ...changes.slice(0, -1).map((change) => change?.[0]),
    ]);
    expect((await paid.read()).trackingNumber).toBe(changes.at(-1)?.[0]);
  });
});
