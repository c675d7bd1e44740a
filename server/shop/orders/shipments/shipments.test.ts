import { describe, expect, test } from 'vitest';
import type { Order } from '../../../../contract/orders/orders.ts';
import { auditLog, auditShipments, readShop } from '../../../../tests/support/auditor.ts';
import { engines } from '../../../../tests/support/database.ts';
import { hurryMail, listLetters, waitForDelivery } from '../../../../tests/support/letters.ts';
import {
  buy,
  buyTogether,
  placeOrder,
  refundOrder,
  shipOrder,
  shipParcel,
} from '../../../../tests/support/payments.ts';
import { catchProblem } from '../../../../tests/support/problem.ts';
import { startShop } from '../../../../tests/support/shop.ts';
import { ApiError } from '../../../../web/client/api/client.ts';

const ups = '1Z5R89390357567127';

/** Two paid orders of one purchase: five gauges and two broaches. */
async function startWithPurchase(engine: (typeof engines)[number]) {
  const shop = await startShop({ engine });
  const [admin, customer] = [await shop.admin(), await shop.signUp()];
  const [gauge, broach] = [await shop.addProduct(), await shop.addProduct({ name: 'Broach' })];
  const purchase = await buyTogether(shop, customer, [
    [gauge, 5],
    [broach, 2],
  ]);
  const [first, second] = purchase.orders;
  if (!first || !second) expect.unreachable();
  const client = shop.client(admin);
  return {
    shop,
    admin,
    customer,
    client,
    gauge,
    first,
    second,
    number: purchase.number,
    read: ({ _id }: Pick<Order, '_id'>, person = admin) =>
      shop.client(person).call('getOrder', { params: { id: _id } }),
    ship: (
      { _id }: Pick<Order, '_id'>,
      body: { quantity?: number; trackingNumber?: string; shipment?: string } = {},
    ) => shipOrder(client, { params: { id: _id }, body: { orderStatus: 'sipping', ...body } }),
    shipTogether: (
      lines: [order: Pick<Order, '_id'>, quantity: number][],
      tracking: { trackingNumber?: string; sharedNumber?: string } = {},
    ) =>
      shipParcel(client, {
        lines: lines.map(([{ _id: order }, quantity]) => ({ order, quantity })),
        ...tracking,
      }),
    undo: (id: string) => client.call('undoShipment', { params: { id } }),
    listToShip: async () =>
      (await client.call('listAllOrders', { query: { status: 'paid' } })).map(({ _id }) => _id),
    search: async (q: string) =>
      (await client.call('listAllOrders', { query: { q } })).map(({ _id }) => _id).sort(),
    listMail: () =>
      shop.database.db.selectFrom('mail').selectAll().where('kind', '=', 'order shipped').execute(),
    async checkParcels() {
      const books = await readShop(shop.database.db);
      expect(auditShipments(books)).toEqual([]);
      expect(auditLog(books, new Map())).not.toContainEqual(expect.stringContaining('shipOrder'));
    },
    [Symbol.asyncDispose]: shop.close,
  };
}

describe.concurrent.each(engines)('on %s', (engine) => {
  test('pieces are shipped in two parcels, each with its own tracking; the order is listed as to ship until no pieces are left', async () => {
    await using shop = await startWithPurchase(engine);
    const { first, second, read, ship } = shop;
    const stock = await shop.client.call('getProduct', { params: { id: shop.gauge._id } });
    expect(await ship(first, { quantity: 2, trackingNumber: ups })).toMatchObject({ modifiedCount: 1 });
    const part = await read(first);
    expect(part).toMatchObject({ orderStatus: 'paid', shippedQuantity: 2, trackingNumber: ups });
    expect(part.shipments).toMatchObject([{ quantity: 2, carrier: 'UPS', trackingNumber: ups }]);
    expect((await shop.listToShip()).sort()).toEqual([first._id, second._id].sort());
    const overview = await shop.client.call('getOverview', {});
    expect(overview.toShip.tools).toBe(2);

    // A second label is a second parcel: it does not replace the first.
    expect(await ship(first, { trackingNumber: 'B-17' })).toMatchObject({ modifiedCount: 1 });
    const whole = await read(first);
    expect(whole).toMatchObject({ orderStatus: 'sipping', shippedQuantity: 5, trackingNumber: 'B-17' });
    expect(whole.shipments?.map(({ quantity, trackingNumber }) => [quantity, trackingNumber])).toEqual([
      [2, ups],
      [3, 'B-17'],
    ]);
    expect(whole.shippedAt).toBe(whole.shipments?.[1]?.shippedAt);
    expect(await shop.listToShip()).toEqual([second._id]);
    expect(whole.history?.filter(({ what }) => what === 'shipped')).toMatchObject([
      { quantity: 2, who: shop.admin.email },
      { quantity: 3, who: shop.admin.email },
    ]);
    for (const q of [ups.toLowerCase(), 'B-17']) expect([q, await shop.search(q)]).toEqual([q, [first._id]]);
    const own = await read(first, shop.customer);
    expect(own.shipments?.[0]).not.toHaveProperty('canUndo');
    const rows = await shop.shop.database.db.selectFrom('shipment').selectAll().execute();
    expect(rows[0]).toMatchObject({ name: first.userName, actor: shop.admin.email });
    const after = await shop.client.call('getProduct', { params: { id: shop.gauge._id } });
    expect(after.a_quantity).toBe(stock.a_quantity);
    await shop.checkParcels();
  });

  test('at most the pieces that are left and not refunded are shipped, however many admins try', async () => {
    await using shop = await startWithPurchase(engine);
    const { first, ship, read, client } = shop;
    await refundOrder(client, {
      params: { id: first._id },
      body: { amount: 1, quantity: 1, reason: 'other' },
    });
    expect(await catchProblem(ship(first, { quantity: 5 }))).toMatchObject({
      type: 'urn:problem:over_shipment',
      status: 409,
      data: { left: 4 },
      errors: [{ field: 'quantity', message: 'Only 4 pieces of Pivot Gauge are left to ship' }],
    });
    // If the version is outdated because of another shipment, try again with the current version.
    const shipSome = async (quantity: number): Promise<string> => {
      const problem = await shop.shipTogether([[first, quantity]]).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (problem === undefined) return 'shipped';
      if (!(problem instanceof ApiError)) throw problem;
      return problem.problem.type === 'urn:problem:purchase_changed'
        ? shipSome(quantity)
        : problem.problem.type;
    };
    const results = await Promise.all([3, 3, 2, 2].map(shipSome));
    const shipped = (await read(first)).shippedQuantity ?? 0;
    expect(shipped).toBeLessThanOrEqual(4);
    expect(results.filter((result) => result === 'shipped')).toHaveLength(shipped === 4 ? 2 : 1);
    expect(new Set(results)).toEqual(new Set(['shipped', 'urn:problem:over_shipment']));
    if (shipped < 4) await ship(first);
    // The refunded piece is left out.
    expect(await read(first)).toMatchObject({ orderStatus: 'sipping', shippedQuantity: 4 });
    await shop.checkParcels();
  });

  test('the request that shipped an order changes nothing if it is sent again, and no piece is shipped twice', async () => {
    await using shop = await startWithPurchase(engine);
    const { first, second, ship, read } = shop;
    expect(await ship(second, { quantity: 2, trackingNumber: ups })).toMatchObject({ modifiedCount: 1 });
    expect(await ship(second, { quantity: 2, trackingNumber: ups })).toMatchObject({ modifiedCount: 0 });
    expect(await catchProblem(ship(second, { quantity: 1 }))).toMatchObject({
      type: 'urn:problem:over_shipment',
      data: { left: 0 },
    });
    const { version, purchase } = await read(first);
    const body = { lines: [{ order: first._id, quantity: 2 }], versions: { [purchase]: version } };
    const request = { body, idempotencyKey: `key-${engine}` };
    const once = await shop.client.call('shipParcel', request);
    expect(once.versions).toEqual({ [purchase]: version + 1 });
    expect(await shop.client.call('shipParcel', request)).toEqual(once);
    // The response was lost. The reloaded page sends the version that results from its own first request.
    const reloaded = { ...request, body: { ...body, versions: once.versions } };
    expect(await shop.client.call('shipParcel', reloaded)).toEqual(once);
    // The page of another admin still shows the order as it was before.
    expect(await catchProblem(shop.client.call('shipParcel', { body }))).toMatchObject({
      type: 'urn:problem:purchase_changed',
      status: 409,
      data: { version: version + 1 },
    });
    const withoutVersions = { body: { ...body, versions: {} } };
    expect(await catchProblem(shop.client.call('shipParcel', withoutVersions))).toMatchObject({
      status: 422,
      errors: [{ field: 'versions', message: 'Version is Required' }],
    });
    expect((await read(first)).shippedQuantity).toBe(2);
    await shop.checkParcels();
  });

  test('POST /shipments ships orders as one parcel, whose tracking is corrected for all of them', async () => {
    await using shop = await startWithPurchase(engine);
    const { first, second, read, ship, customer } = shop;
    const { order: third } = await buy(shop.shop, customer, shop.gauge);
    const id = await shop.shipTogether(
      [
        [first, 3],
        [second, 2],
        [third, 1],
      ],
      { trackingNumber: ups },
    );
    for (const order of [first, second, third])
      expect((await read(order)).shipments).toMatchObject([{ _id: id, trackingNumber: ups }]);
    expect((await shop.search(ups)).sort()).toEqual([first._id, second._id, third._id].sort());
    // The rest of the first order is a later parcel, which keeps its own number.
    await ship(first, { trackingNumber: 'LATER-1' });
    expect(await ship(third, { trackingNumber: 'RIGHT-1' })).toMatchObject({ modifiedCount: 1 });
    expect(await read(second)).toMatchObject({ trackingNumber: 'RIGHT-1' });
    expect(await read(first)).toMatchObject({
      trackingNumber: 'LATER-1',
      shipments: [{ trackingNumber: 'RIGHT-1' }, { trackingNumber: 'LATER-1' }],
    });
    await ship(first, { trackingNumber: 'LATER-2' });
    expect((await read(first)).shipments?.map(({ trackingNumber }) => trackingNumber)).toEqual([
      'RIGHT-1',
      'LATER-2',
    ]);
    expect((await read(second)).history?.map(({ what }) => what)).toContain('tracking_changed');
    await shop.checkParcels();
  });

  test('the tracking of an earlier parcel is corrected while pieces are left to ship', async () => {
    await using shop = await startWithPurchase(engine);
    const { first, second, read, ship } = shop;
    for (const trackingNumber of ['WRONG-1', 'SECOND-1']) await ship(first, { quantity: 1, trackingNumber });
    const [earlier] = (await read(first)).shipments ?? [];
    if (!earlier) expect.unreachable();
    const correction = { shipment: earlier._id, trackingNumber: 'RIGHT-1' };
    expect(await ship(first, correction)).toMatchObject({ modifiedCount: 1 });
    expect(await ship(first, correction)).toMatchObject({ modifiedCount: 0 });
    expect(await read(first)).toMatchObject({
      orderStatus: 'paid',
      shippedQuantity: 2,
      trackingNumber: 'SECOND-1',
      shipments: [{ trackingNumber: 'RIGHT-1' }, { trackingNumber: 'SECOND-1' }],
    });
    // The parcel has no pieces of this order.
    expect(await catchProblem(ship(second, correction))).toMatchObject({ status: 404 });
    expect(await read(second)).not.toHaveProperty('shippedQuantity');
    await shop.checkParcels();
  });

  test('a parcel can only have paid orders of one customer, to one address', async () => {
    await using shop = await startWithPurchase(engine);
    const { first, second, shipTogether, read } = shop;
    const stranger = await shop.shop.signUp();
    const { order: foreign } = await buy(shop.shop, stranger, shop.gauge);
    const { order: elsewhere } = await buy(shop.shop, shop.customer, shop.gauge);
    await shop.shop.database.db
      .updateTable('purchase')
      .set({ address: '2 Pallet Road' })
      .where('id', '=', elsewhere.purchase)
      .execute();
    const unpaid = await placeOrder(shop.shop, shop.customer, shop.gauge);
    const rejections = [
      [foreign, 422, 'A parcel can only have orders of one customer'],
      [elsewhere, 422, 'A parcel can only have orders with the same name and address'],
      [unpaid, 409, 'Only a paid order can be shipped.'],
    ] as const;
    for (const [order, status, detail] of rejections)
      expect(
        await catchProblem(
          shipTogether([
            [first, 1],
            [order, 1],
          ]),
        ),
      ).toMatchObject({ status, detail });
    expect(
      await catchProblem(
        shipTogether([
          [first, 1],
          [first, 1],
        ]),
      ),
    ).toMatchObject({ status: 422, errors: [{ field: 'lines', message: 'List each order only once' }] });
    await shipTogether([[foreign, 1]], { trackingNumber: ups });
    const shared = await catchProblem(shipTogether([[first, 1]], { trackingNumber: ups.toLowerCase() }));
    expect(shared).toMatchObject({
      type: 'urn:problem:shared_number',
      status: 409,
      data: { number: foreign.number },
    });
    expect(await read(first)).not.toHaveProperty('shippedQuantity');
    await shipTogether(
      [
        [first, 1],
        [second, 1],
      ],
      { trackingNumber: ups, sharedNumber: ups },
    );
    expect(await read(second)).toMatchObject({ shippedQuantity: 1, trackingNumber: ups });
    await shop.checkParcels();
  });

  test('each 409 reports the current versions of all purchases of the parcel', async () => {
    await using shop = await startWithPurchase(engine);
    const { first, second, client, customer, undo } = shop;
    const { order: third } = await buy(shop.shop, customer, shop.gauge, 2);
    const unpaid = await placeOrder(shop.shop, customer, shop.gauge);
    const foreign = (await buy(shop.shop, await shop.shop.signUp(), shop.gauge)).order;
    await shop.shipTogether([[foreign, 1]], { trackingNumber: ups });
    const readVersions = async (orders: readonly Order[]) => {
      const current = await Promise.all(orders.map((order) => shop.read(order)));
      return Object.fromEntries(current.map(({ purchase, version }) => [purchase, version]));
    };
    const send = async (lines: [order: Order, quantity: number][], trackingNumber?: string, late = 0) => {
      const orders = lines.map(([order]) => order);
      const versions = await readVersions(orders);
      for (const purchase of Object.keys(versions)) versions[purchase] = (versions[purchase] ?? 0) - late;
      const body = { lines: lines.map(([{ _id: order }, quantity]) => ({ order, quantity })), versions };
      const shipped = client.call('shipParcel', {
        body: { ...body, ...(trackingNumber ? { trackingNumber } : {}) },
      });
      const { status, type, data } = await catchProblem(shipped);
      expect([status, data?.versions], type).toEqual([409, await readVersions(orders)]);
      return type.replace('urn:problem:', '');
    };
    const both: [Order, number][] = [
      [first, 1],
      [third, 1],
    ];
    expect(await send(both, undefined, 1)).toBe('purchase_changed');
    expect(
      await send([
        [first, 1],
        [third, 3],
      ]),
    ).toBe('over_shipment');
    expect(await send([[unpaid, 1]])).toBe('not_paid');
    expect(await send(both, ups)).toBe('shared_number');
    const [kept, late] = [
      await shop.shipTogether(both),
      await shop.shipTogether([
        [second, 1],
        [third, 1],
      ]),
    ];
    const { version } = await shop.read(third);
    const params = { id: third._id };
    await client.call('recordReturn', { params, body: { version, quantity: 2 } });
    const returned = await catchProblem(undo(kept));
    await shop.shop.database.db.updateTable('mail').set({ attempts: 1 }).execute();
    const tooLate = await catchProblem(undo(late));
    const versions = await readVersions([first, third]);
    expect([returned, tooLate]).toMatchObject([
      { status: 409, data: { versions } },
      { status: 409, data: { versions } },
    ]);
  });

  test('a parcel is taken back until its message is claimed: its pieces can be shipped again, and no message is sent', async () => {
    await using shop = await startWithPurchase(engine);
    const { first, second, read, ship, undo } = shop;
    const kept = await shop.shipTogether([[first, 2]], { trackingNumber: 'KEPT-1' });
    const id = await shop.shipTogether(
      [
        [first, 3],
        [second, 2],
      ],
      { trackingNumber: ups },
    );
    expect(await read(second)).toMatchObject({ orderStatus: 'sipping', shipments: [{ canUndo: true }] });
    expect(await shop.listMail()).toMatchObject([{ about: `${kept} ${id}` }]);
    expect(await undo(id)).toMatchObject({ deletedCount: 1 });
    expect(await read(first)).toMatchObject({
      orderStatus: 'paid',
      shippedQuantity: 2,
      trackingNumber: 'KEPT-1',
      shipments: [{ _id: kept }],
    });
    const back = await read(second);
    expect(back).toMatchObject({ orderStatus: 'paid', shipments: [] });
    expect(back.history?.map(({ what }) => what)).toEqual(['placed', 'paid', 'shipment_undone']);
    for (const field of ['shippedQuantity', 'shippedAt', 'carrier', 'trackingNumber', 'trackingUrl'])
      expect(back).not.toHaveProperty(field);
    expect(await shop.listMail()).toMatchObject([{ about: kept }]);
    expect(await shop.search(ups)).toEqual([]);
    expect(await catchProblem(undo(id))).toMatchObject({ status: 404 });
    await shop.checkParcels();

    expect(await undo(kept)).toMatchObject({ deletedCount: 1 });
    expect(await shop.listMail()).toEqual([]);
    await ship(second);
    await shop.shop.listen();
    await hurryMail(shop.shop);
    await waitForDelivery(shop.shop);
    const subjects = (await listLetters(shop.shop, shop.customer.email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject?.includes('on its way'))).toEqual([
      `Part of your order ${shop.number} is on its way`,
    ]);
    const [sent] = (await read(second)).shipments ?? [];
    expect(await catchProblem(undo(sent?._id ?? ''))).toMatchObject({
      status: 409,
      type: 'urn:problem:conflict',
      detail: 'The parcel cannot be taken back any more: the customer is being told that it is on its way.',
    });
    expect(await read(second)).toMatchObject({ orderStatus: 'sipping' });
    await shop.checkParcels();
  });

  test('if two admins take a parcel back at once, one succeeds, and a shipment at the same moment is kept', async () => {
    await using shop = await startWithPurchase(engine);
    const { first, read, undo } = shop;
    const id = await shop.shipTogether([[first, 2]]);
    const shipRest = () =>
      shop.client.call('shipOrder', { params: { id: first._id }, body: { orderStatus: 'sipping' } });
    const results = await Promise.allSettled([undo(id), undo(id), shipRest()]);
    expect(
      results
        .map(({ status }) => status)
        .slice(0, 2)
        .sort(),
    ).toEqual(['fulfilled', 'rejected']);
    expect(results[2]?.status).toBe('fulfilled');
    const { orderStatus, shippedQuantity } = await read(first);
    // All five pieces are shipped, or only the three that were not in the parcel that was taken back.
    expect(['sipping 5', 'paid 3']).toContain(`${orderStatus} ${shippedQuantity}`);
    await shop.checkParcels();
  });

  test('a parcel of a customer who gets no message can be taken back for a minute', async () => {
    await using shop = await startWithPurchase(engine);
    const { first, second, undo } = shop;
    const { db } = shop.shop.database;
    for (const table of ['purchase', 'order_line'] as const)
      await db.updateTable(table).set({ user_id: null }).execute();
    const [early, late] = [await shop.shipTogether([[first, 1]]), await shop.shipTogether([[second, 1]])];
    expect(await shop.listMail()).toEqual([]);
    await db
      .updateTable('shipment')
      .set({ created_at: Date.now() - 60_000 })
      .where('id', '=', late)
      .execute();
    expect(await undo(early)).toMatchObject({ deletedCount: 1 });
    expect(await catchProblem(undo(late))).toMatchObject({ status: 409 });
  });

  test('each message names the parcels that it is about, and the last message is about the rest of the order', async () => {
    await using shop = await startWithPurchase(engine);
    const { first, second, number } = shop;
    await shop.shop.listen();
    const sendAll = async () => {
      await hurryMail(shop.shop);
      await waitForDelivery(shop.shop);
      const letters = await listLetters(shop.shop, shop.customer.email);
      return letters.find(({ subject = '' }) => / on (its|their) way$/.test(subject));
    };
    await shop.shipTogether([[first, 2]], { trackingNumber: ups });
    await shop.shipTogether([[second, 2]], { trackingNumber: 'B-1' });
    const part = await sendAll();
    expect(part?.subject).toBe(`Part of your order ${number} is on its way`);
    expect(part?.text).toMatch(
      new RegExp(
        `\\* 2 × Pivot Gauge\n\nCarrier: UPS\nTracking number: ${ups}\n\nTrack parcel 1:[ \n].*\n\nParcel 2 of 2\n\n\\* 2 × Broach\n\nTracking number: B-1\n`,
      ),
    );
    await shop.ship(first);
    const rest = await sendAll();
    expect(rest?.subject).toBe(`The rest of your order ${number} is on its way`);
    expect(rest?.text).toContain('* 3 × Pivot Gauge\n');
    expect(rest?.text).not.toContain('Broach');
    const { order: third } = await buy(shop.shop, shop.customer, shop.gauge);
    const { order: fourth } = await buy(shop.shop, shop.customer, shop.gauge);
    await shop.shipTogether([
      [third, 1],
      [fourth, 1],
    ]);
    expect((await sendAll())?.subject).toBe(
      `Your orders ${third.number} and ${fourth.number} are on their way`,
    );
  });
});
