import { describe, expect, test } from 'vitest';
import { withDatabases } from '../../../../tests/support/auditor.ts';
import { engines } from '../../../../tests/support/database.ts';
import { startPaidShop } from '../../../../tests/support/paid-purchase.ts';
import {
  placeOrder,
  renameAtProvider,
  requestStripe,
  shipParcel,
} from '../../../../tests/support/payments.ts';
import { catchProblem } from '../../../../tests/support/problem.ts';
import { sendCall, tokenHeaders } from '../../../../tests/support/requests.ts';

describe.concurrent.each(engines)('refunds on %s', (engine) => {
  test('an admin refunds an order in parts and returns pieces to stock; the customer sees the refunds', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, customer, first, second } = paid;
    expect(await paid.read(first)).toMatchObject({ refunded: 0, refunds: [], disputed: false });

    await paid.refund(first, { amount: 15.5, reason: 'requested_by_customer', note: 'Bent.', restock: 1 });
    expect(await paid.stock()).toBe(7);
    expect(await paid.amountsAtProvider()).toEqual([1550]);
    const refund = { amount: 15.5, status: 'succeeded', reason: 'requested_by_customer', quantity: 1 };
    expect(await paid.read(first)).toMatchObject({
      refunded: 15.5,
      orderStatus: 'paid',
      refunds: [{ ...refund, note: 'Bent.', restock: 1, requestedBy: admin.email }],
    });
    const seen = await shop.client(customer).call('getOrder', { params: { id: first._id } });
    expect(seen.refunds).toEqual([
      { ...refund, _id: expect.any(String), createdAt: expect.any(String), updatedAt: expect.any(String) },
    ]);

    // By default, the rest is refunded.
    await paid.refund(first, { restock: 3 });
    expect(await paid.stock()).toBe(10);
    expect(await paid.readPurchase()).toMatchObject({ price: 45.5, refunded: 40 });
    expect(await catchProblem(paid.refund(first))).toMatchObject({
      status: 409,
      type: 'urn:problem:over_refund',
      detail: 'This order has been refunded in full.',
      data: { refundable: 0, refundableQuantity: 0 },
    });
    await paid.refund(second);
    expect(await paid.readPurchase()).toMatchObject({ refunded: 45.5, paid: true });
    expect(await paid.amountsAtProvider()).toEqual([550, 2450, 1550]);
    const log = await shop.client(admin).call('listAudit', {});
    const refunds = log.filter(({ action }) => action === 'refundOrder');
    expect(refunds.map(({ target, details }) => [target, details])).toEqual([
      [second._id, 'refunded: USD 5.50 (was USD 0.00)\nrefundedQuantity: 1 (was 0)'],
      [first._id, 'refunded: USD 40.00 (was USD 15.50)\nrefundedQuantity: 4 (was 1)\nrestocked: 3 (was 0)'],
      [first._id, 'refunded: USD 15.50 (was USD 0.00)\nrefundedQuantity: 1 (was 0)\nrestocked: 1 (was 0)'],
    ]);
    await paid.checkBooks();
  });

  test('a refund cannot exceed the money or pieces that are left, and an unpaid order cannot be refunded', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, customer, pliers, first } = paid;
    await paid.refund(first, { amount: 30 });
    expect(await catchProblem(paid.refund(first, { amount: 10.01 }))).toMatchObject({
      status: 409,
      detail: 'At most USD 10.00 can still be refunded.',
      data: { refundable: 10, refundableQuantity: 4 },
    });
    expect(await catchProblem(paid.refund(first, { amount: 1, quantity: 5 }))).toMatchObject({
      status: 409,
      detail: 'At most 4 pieces can still be refunded.',
    });
    expect(await catchProblem(paid.refund(first, { amount: 0 }))).toMatchObject({ status: 422 });
    expect(await catchProblem(paid.refund(first, { amount: 1.005 }))).toMatchObject({ status: 422 });
    expect(await catchProblem(paid.refund(first, { reason: 'mood' }))).toMatchObject({ status: 422 });
    expect(await paid.read(first)).toMatchObject({ refunded: 30 });
    expect(await paid.stock()).toBe(6);
    const unpaid = await placeOrder(shop, customer, pliers);
    expect(await catchProblem(paid.refund(unpaid))).toMatchObject({
      status: 409,
      type: 'urn:problem:not_paid',
    });
    expect(await catchProblem(paid.refund({ ...unpaid, _id: 'x' }))).toMatchObject({ status: 404 });
    await paid.checkBooks();
  });

  test('each 402 and 409 reports the current version', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, customer, pliers, first } = paid;
    const client = shop.client(admin);
    const unpaid = await placeOrder(shop, customer, pliers);
    const { insertedId: id } = await paid.refund(first, { amount: 1 });
    // The shop does not know this refund.
    await paid.refundAtProvider({ amount: '4000' });
    const line = { order: first._id, amount: 1, quantity: 0, restock: 0 };
    const settlement = { params: { id }, body: { outcome: 'repaid' } } as const;
    for (const [order, refused, expected] of [
      [first, () => paid.refund(first, { amount: 50 }), 'over_refund'],
      [first, () => paid.refund(first, { amount: 1, version: 1 }), 'purchase_changed'],
      [first, () => paid.refund(first, { amount: 1, replaces: id }), 'conflict'],
      [unpaid, () => paid.refund(unpaid, { amount: 1 }), 'not_paid'],
      [first, () => client.call('settleRefund', settlement), 'conflict'],
      [
        first,
        () => client.call('assignRefund', { params: { id }, body: { version: 1, lines: [line] } }),
        'purchase_changed',
      ],
      [first, () => paid.refund(first, { amount: 39 }), 'provider_refused'],
      [first, () => paid.refund(first, { amount: 39 }), 'over_refund'],
    ] as const) {
      const problem = await catchProblem(refused());
      const { version } = await paid.read(order);
      expect(problem, expected).toMatchObject({ type: `urn:problem:${expected}`, data: { version } });
    }
  });

  test('pieces can be refunded without returning to stock, and are then neither packed nor counted as ordered', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, customer, pliers, first, second } = paid;
    const readOrdered = async () =>
      (await shop.client(admin).call('getProduct', { params: { id: pliers._id } })).ordered;
    expect(await readOrdered()).toBe(4);
    expect(await catchProblem(paid.refund(first, { amount: 10, quantity: 1, restock: 2 }))).toMatchObject({
      status: 422,
      errors: [
        { field: 'restock', message: 'Pieces to return to stock must be at most the pieces to refund' },
      ],
    });
    await paid.refund(first, { amount: 10, quantity: 1 });
    expect(await paid.stock()).toBe(6);
    expect(await readOrdered()).toBe(3);
    expect(await paid.read(first)).toMatchObject({
      refundedQuantity: 1,
      refunds: [{ quantity: 1, restock: 0 }],
    });
    const seen = await shop.client(customer).call('getOrder', { params: { id: first._id } });
    expect(seen).toMatchObject({ refundedQuantity: 1, refunds: [{ quantity: 1 }] });
    expect(seen.refunds?.[0]).not.toHaveProperty('restock');
    const { detail } = await catchProblem(paid.refund(first, { amount: 1, quantity: 4 }));
    expect(detail).toBe('At most 3 pieces can still be refunded.');

    // This refunds all the money for one piece, so the other two pieces would never be shipped.
    expect(await catchProblem(paid.refund(first, { amount: 30, quantity: 1 }))).toMatchObject({
      status: 422,
      errors: [
        {
          field: 'quantity',
          message:
            'This refunds everything: refund all 3 unshipped pieces, too, or less money, or choose to send the pieces anyway',
        },
      ],
    });

    // A price reduction refunds no pieces; everything that is left includes all pieces that are left.
    await paid.refund(first, { amount: 5 });
    expect(await paid.read(first)).toMatchObject({ refundedQuantity: 1 });
    await paid.refund(first, { restock: 2 });
    expect(await paid.read(first)).toMatchObject({ refunded: 40, refundedQuantity: 4 });
    expect(await paid.stock()).toBe(8);
    expect(await paid.read(second)).not.toHaveProperty('refundedQuantity');
    await paid.checkBooks();
  });

  test('slips and messages of a shipped order leave out only the pieces that were refunded before it was shipped', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, first } = paid;
    await paid.refund(first, { amount: 10, quantity: 1 });
    const params = { id: first._id };
    const client = shop.client(admin);
    await client.call('shipOrder', { params, body: { orderStatus: 'sipping' } });
    await paid.refund(first, { amount: 10, quantity: 1 });
    expect(await paid.read(first)).toMatchObject({ refundedQuantity: 2, shippedQuantity: 3 });
    const { purchases } = await client.call('getPrintout', { query: { orders: first._id } });
    expect(purchases[0]?.lines).toMatchObject([{ removedQuantity: 1, shippedQuantity: 3, toPack: 0 }, {}]);
    // The rest of the money is refunded, and the customer keeps the pieces.
    await paid.refund(first, { amount: 20, quantity: 0 });
    expect(await paid.read(first)).toMatchObject({ refunded: 40, refundedQuantity: 2 });
    await paid.checkBooks();
  });

  test('a piece that was left out of the parcel is not shipped, even if its refund fails later', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { shop, admin, customer, first } = paid;
    await paid.refund(first, { amount: 10, quantity: 1 });
    const client = shop.client(admin);
    await client.call('shipOrder', { params: { id: first._id }, body: { orderStatus: 'sipping' } });
    await paid.finishRefunds();
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({ refunded: 0, owed: 10, shippedQuantity: 3 });
    const seen = await shop.client(customer).call('getOrder', { params: { id: first._id } });
    expect(seen).toMatchObject({ shippedQuantity: 3 });
    const { purchases } = await client.call('getPrintout', { query: { orders: first._id } });
    expect(purchases[0]).toMatchObject({
      lines: [{ removedQuantity: 1, shippedQuantity: 3 }, {}],
      refunds: [],
    });
    await paid.checkBooks();
  });

  test('pieces of a shipped order do not return to stock with a refund', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, first } = paid;
    const params = { id: first._id };
    await shop.client(admin).call('shipOrder', { params, body: { orderStatus: 'sipping' } });
    expect(await catchProblem(paid.refund(first, { amount: 30, quantity: 4, restock: 1 }))).toMatchObject({
      status: 409,
      errors: [{ field: 'restock', message: expect.stringContaining('When shipped pieces come back') }],
    });
    await paid.refund(first, { amount: 30, quantity: 4 });
    expect(await paid.stock()).toBe(6);
    expect(await paid.read(first)).toMatchObject({ refundedQuantity: 4, shippedQuantity: 4 });
    expect(await paid.read(first)).not.toHaveProperty('removedQuantity');
    await paid.checkBooks();
  });

  test('pieces return to stock once, when the provider accepts the refund', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, first } = paid;
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    await paid.refund(first, { amount: 30, quantity: 3, restock: 3 });
    expect(await paid.read(first)).toMatchObject({ refunds: [{ status: 'pending' }], removedQuantity: 3 });
    expect(await paid.stock()).toBe(6);
    await paid.reconcile();
    await paid.reconcile();
    expect(await paid.stock()).toBe(9);
    expect(await paid.read(first)).toMatchObject({ removedQuantity: 3, returnedQuantity: 3 });
    await paid.checkBooks();
  });

  test('a refund that fails later changes no pieces: they stay in stock, and the shop owes the amount', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { shop, admin, pliers, first } = paid;
    await paid.refund(first, { amount: 30, quantity: 3, restock: 3 });
    // Some of the returned pieces are sold again.
    await placeOrder(shop, paid.customer, pliers, 7);
    await paid.finishRefunds();
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({
      refunded: 0,
      owed: 30,
      refunds: [{ status: 'failed' }],
      refundedQuantity: 3,
      removedQuantity: 3,
      returnedQuantity: 3,
    });
    const product = await shop.client(admin).call('getProduct', { params: { id: pliers._id } });
    expect([product.a_quantity, product.ordered]).toEqual([2, 8]);
    await paid.checkBooks();

    expect(await catchProblem(paid.refund(first, { amount: 10.01 }))).toMatchObject({
      status: 409,
      detail: 'At most USD 10.00 can still be refunded.',
      data: { refundable: 10 },
    });
    const params = { id: first._id };
    await shop.client(admin).call('shipOrder', { params, body: { orderStatus: 'sipping' } });
    expect(await paid.read(first)).toMatchObject({ orderStatus: 'sipping', shippedQuantity: 1, owed: 30 });
    await paid.checkBooks();
  });

  test('an order whose full refund fails is not shipped, and another refund does not hide what is owed', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { shop, admin, first, second } = paid;
    await paid.refund(first);
    await paid.finishRefunds();
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({ refunded: 0, owed: 40, removedQuantity: 4 });
    const params = { id: first._id };
    const ship = shop.client(admin).call('shipOrder', { params, body: { orderStatus: 'sipping' } });
    expect(await catchProblem(ship)).toMatchObject({ status: 409, type: 'urn:problem:over_shipment' });
    expect(await catchProblem(paid.refund(first))).toMatchObject({
      status: 409,
      detail: 'The rest of this order is still owed because a refund has failed.',
    });
    await paid.refund(second);
    expect(await paid.read(first)).toMatchObject({ owed: 40 });
    await paid.checkBooks();
  });

  test('an order can be sent although all of its money is refunded', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, first } = paid;
    expect(await catchProblem(paid.refund(first, { amount: 40, quantity: 0 }))).toMatchObject({
      status: 422,
    });
    await paid.refund(first, { amount: 40, quantity: 1, restock: 1, stillSend: true });
    expect(await paid.read(first)).toMatchObject({ refunded: 40, removedQuantity: 1, stillSend: true });
    const client = shop.client(admin);
    const toShip = await client.call('listAllOrders', { query: { status: 'paid', q: first.number } });
    expect(toShip.map(({ _id }) => _id)).toContain(first._id);
    await client.call('shipOrder', { params: { id: first._id }, body: { orderStatus: 'sipping' } });
    expect(await paid.read(first)).toMatchObject({ orderStatus: 'sipping', shippedQuantity: 3 });
    await paid.checkBooks();
  });

  test('an order that would be shipped although it is refunded in full is ordinary again if the refund is refused', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, first } = paid;
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    await paid.refund(first, { amount: 40, quantity: 0, stillSend: true });
    expect(await paid.read(first)).toMatchObject({ refunded: 40, stillSend: true });
    await paid.refundAtProvider({ amount: '600' });
    await paid.reconcile();
    const refused = await paid.read(first);
    expect(refused).toMatchObject({ refunded: 0, refunds: [{ status: 'failed' }] });
    expect(refused).not.toHaveProperty('stillSend');
    await paid.checkBooks();
  });

  test('a partly shipped order is shipped once the provider accepts the refund of the rest', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, first } = paid;
    await shipParcel(shop.client(admin), { lines: [{ order: first._id, quantity: 1 }] });
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    await paid.refund(first, { amount: 30, quantity: 3, restock: 2 });
    expect(await paid.read(first)).toMatchObject({ orderStatus: 'paid', removedQuantity: 3 });
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({ orderStatus: 'sipping', shippedQuantity: 1 });
    expect(await paid.stock()).toBe(8);
    await paid.checkBooks();
  });

  test('a parcel that is taken back leaves out pieces that were refunded while it was shipped', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, first } = paid;
    const client = shop.client(admin);
    const id = await shipParcel(client, { lines: [{ order: first._id, quantity: 4 }] });
    await paid.refund(first, { amount: 10, quantity: 1 });
    await client.call('undoShipment', { params: { id } });
    expect(await paid.read(first)).toMatchObject({ orderStatus: 'paid', removedQuantity: 1 });
    await paid.checkBooks();
    await client.call('shipOrder', { params: { id: first._id }, body: { orderStatus: 'sipping' } });
    expect(await paid.read(first)).toMatchObject({ orderStatus: 'sipping', shippedQuantity: 3 });
    await paid.checkBooks();
  });

  test('the pieces of a parcel that is taken back after a refund in full are not shipped again, but can return to stock', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, first } = paid;
    const client = shop.client(admin);
    const params = { id: first._id };
    const id = await shipParcel(client, { lines: [{ order: first._id, quantity: 3 }] });
    await paid.refund(first, { amount: 40, quantity: 1 });
    expect(await paid.read(first)).toMatchObject({ orderStatus: 'sipping', removedQuantity: 1 });
    await client.call('undoShipment', { params: { id } });
    expect(await paid.read(first)).toMatchObject({ orderStatus: 'paid', removedQuantity: 4 });
    const ship = client.call('shipOrder', { params, body: { orderStatus: 'sipping' } });
    expect(await catchProblem(ship)).toMatchObject({ status: 409, type: 'urn:problem:over_shipment' });
    const { version } = await paid.read(first);
    await client.call('recordReturn', { params, body: { version, quantity: 4 } });
    expect(await paid.stock()).toBe(10);
    await paid.checkBooks();
  });

  test('the pieces of a parcel that is taken back after a refund in full can be shipped again if the provider refuses the refund', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, first } = paid;
    const client = shop.client(admin);
    const id = await shipParcel(client, { lines: [{ order: first._id, quantity: 4 }] });
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    await paid.refund(first, { amount: 40, quantity: 0 });
    await client.call('undoShipment', { params: { id } });
    const ship = () =>
      client.call('shipOrder', { params: { id: first._id }, body: { orderStatus: 'sipping' } });
    expect(await catchProblem(ship())).toMatchObject({
      status: 409,
      type: 'urn:problem:over_shipment',
      detail: expect.stringContaining('in full'),
    });
    await paid.refundAtProvider({ amount: '600' });
    await paid.reconcile();
    const order = await paid.read(first);
    expect(order).toMatchObject({ refunded: 0, orderStatus: 'paid', refunds: [{ status: 'failed' }] });
    expect(order).not.toHaveProperty('removedQuantity');
    await ship();
    await paid.checkBooks();
  });

  test('if the provider refuses a refund, its pieces can be shipped again, unless the rest was shipped without them', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, first, second } = paid;
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 4 });
    await paid.refund(first, { amount: 10, quantity: 1, restock: 1 });
    await paid.refund(second, { amount: 5.5, quantity: 1, restock: 1 });
    expect(await paid.read(second)).toMatchObject({ refunded: 5.5, removedQuantity: 1 });
    const params = { id: first._id };
    await shop.client(admin).call('shipOrder', { params, body: { orderStatus: 'sipping' } });
    // Refund 41.00 at the provider without the shop's knowledge, so that it refuses both refunds.
    await paid.refundAtProvider({ amount: '4100' });
    await paid.reconcile();
    const failed = { refunded: 0, refunds: [{ status: 'failed', restock: 0 }] };
    expect(await paid.read(first)).toMatchObject({
      ...failed,
      owed: 10,
      removedQuantity: 1,
      refundedQuantity: 1,
    });
    const other = await paid.read(second);
    expect(other).toMatchObject(failed);
    for (const field of ['owed', 'removedQuantity', 'refundedQuantity'])
      expect(other).not.toHaveProperty(field);
    expect(await paid.stock()).toBe(6);
  });

  test('when admins refund at once, only one succeeds; together they never refund more than was paid', async () => {
    await using paid = await startPaidShop(engine);
    const body = { amount: 15, quantity: 2, restock: 1 };
    const refundAtOnce = async () => {
      const { version } = await paid.read(paid.first);
      const refund = () => paid.refund(paid.first, { version, ...body });
      const results = await Promise.allSettled(Array.from({ length: 8 }, refund));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      // The request counts as one change, and the pieces' return to stock as another.
      const current = { version: version + 2 };
      expect(await paid.read(paid.first)).toMatchObject(current);
      expect(await catchProblem(refund())).toMatchObject({
        type: 'urn:problem:purchase_changed',
        status: 409,
        data: current,
      });
    };
    await refundAtOnce();
    await refundAtOnce();
    const { version } = await paid.read(paid.first);
    expect(await catchProblem(paid.refund(paid.first, body))).toMatchObject({
      type: 'urn:problem:over_refund',
      data: { refundable: 10, refundableQuantity: 0, version },
    });
    expect(await paid.read(paid.first)).toMatchObject({ refunded: 30, refundedQuantity: 4, version });
    expect(await paid.amountsAtProvider()).toEqual([1500, 1500]);
    expect(await paid.stock()).toBe(8);
    await paid.checkBooks();
  });

  test('a refund requires a version, but a request with the same Idempotency-Key and another version is a replay', async () => {
    await using paid = await startPaidShop(engine);
    const client = paid.shop.client(paid.admin);
    const params = { id: paid.first._id };
    const { version } = await paid.read(paid.first);
    const body = { amount: 5, quantity: 0, restock: 0, reason: 'other' } as const;
    const noVersion = JSON.parse(JSON.stringify({ ...body, version: undefined }));
    expect(await catchProblem(client.call('refundOrder', { params, body: noVersion }))).toMatchObject({
      status: 422,
      errors: [{ field: 'version', message: 'Version is Required' }],
    });
    const idempotencyKey = 'reloaded';
    const refund = (seen: number) =>
      client.call('refundOrder', { params, body: { ...body, version: seen }, idempotencyKey });
    const first = await refund(version);
    expect(first).toMatchObject({ version: version + 1 });
    // The response was lost. The admin reloads the page first, which shows the new version, or repeats the first request.
    for (const seen of [version + 1, version]) expect(await refund(seen)).toEqual(first);
    expect(await paid.amountsAtProvider()).toEqual([500]);
    await paid.checkBooks();
  });

  test('a refused refund reports the current version', async () => {
    await using paid = await startPaidShop(engine);
    await paid.refundAtProvider();
    const { version } = await paid.read(paid.first);
    const problem = await catchProblem(paid.refund(paid.first, { amount: 5 }));
    expect(problem).toMatchObject({ status: 402 });
    const after = await paid.read(paid.first);
    expect(after.version).toBeGreaterThan(version);
    expect(problem).toMatchObject({ data: { version: after.version } });
  });

  test('a refund counts as a change when it is requested or fails, not when it succeeds', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_pendingRefund');
    const { version } = await paid.read(paid.first);
    await paid.refund(paid.first, { amount: 5 });
    expect(await paid.read(paid.first)).toMatchObject({
      version: version + 1,
      refunds: [{ status: 'pending' }],
    });
    await paid.finishRefunds();
    await paid.reconcile();
    expect(await paid.read(paid.first)).toMatchObject({
      version: version + 1,
      refunds: [{ status: 'succeeded' }],
    });
    await paid.refundAtProvider({ amount: '550' });
    await paid.reconcile();
    expect(await paid.read(paid.second)).toMatchObject({ version: version + 2, refunded: 5.5 });
    await using failing = await startPaidShop(engine, 'pm_card_refundFail');
    await failing.refund(failing.first, { amount: 5 });
    const requested = await failing.read(failing.first);
    await failing.finishRefunds();
    await failing.reconcile();
    expect(await failing.read(failing.first)).toMatchObject({
      version: requested.version + 1,
      refunds: [{ status: 'failed' }],
    });
  });

  test('the same Idempotency-Key refunds once', async () => {
    await using paid = await startPaidShop(engine);
    const key = 'refund-once';
    const results = await Promise.all(
      [1, 2, 3].map(() => paid.refund(paid.first, { amount: 5, quantity: 1 }, key)),
    );
    expect(new Set(results.map(({ insertedId }) => insertedId)).size).toBe(1);
    expect(await paid.amountsAtProvider()).toEqual([500]);
    expect(await paid.read(paid.first)).toMatchObject({ refundedQuantity: 1 });
    await paid.checkBooks();
  });

  test('an Idempotency-Key belongs to one order', async () => {
    await using paid = await startPaidShop(engine);
    await paid.refund(paid.first, { amount: 5 }, 'one-order');
    expect(await catchProblem(paid.refund(paid.second, { amount: 5 }, 'one-order'))).toMatchObject({
      status: 422,
      errors: [{ field: 'Idempotency-Key' }],
    });
    expect(await paid.amountsAtProvider()).toEqual([500]);
    await paid.checkBooks();
  });

  test('an unreachable provider leaves the refund pending; the periodic work requests it, once', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, first } = paid;
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    await paid.refund(first, { amount: 5 });
    expect(await paid.read(first)).toMatchObject({ refunded: 5, refunds: [{ status: 'pending' }] });
    expect(await paid.amountsAtProvider()).toEqual([]);
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({ refunded: 5, refunds: [{ status: 'succeeded' }] });

    // The provider acts, but its response is lost.
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'timeout-after-success', times: 2 });
    await paid.refund(first, { amount: 7 });
    expect(await paid.amountsAtProvider()).toEqual([700, 500]);
    await paid.reconcile();
    expect(await paid.amountsAtProvider()).toEqual([700, 500]);
    expect(await paid.read(first)).toMatchObject({
      refunded: 12,
      refunds: [{ status: 'succeeded' }, { status: 'succeeded' }],
    });
    await paid.checkBooks();
  });

  test('a replay finds a refund whose response was lost, even if the provider has forgotten its key', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, first } = paid;
    // A second request for 7.00 would be executed, and a second request for 30.00 refused.
    for (const amount of [7, 30]) {
      const refund = () => paid.refund(first, { amount, restock: 1 }, `lost-${amount}`);
      shop.stripe.fail({ call: 'POST /v1/refunds', how: 'timeout-after-success', times: 2 });
      const sent = await refund();
      await withDatabases(shop.config.database, ({ provider }) =>
        provider.deleteFrom('stripe_idempotency').execute(),
      );
      expect(await refund()).toMatchObject({ insertedId: sent.insertedId });
    }
    expect(await paid.amountsAtProvider()).toEqual([3000, 700]);
    const refunds = [{ status: 'succeeded' }, { status: 'succeeded' }];
    expect(await paid.read(first)).toMatchObject({ refunded: 37, refunds });
    expect(await paid.stock()).toBe(8);
    await paid.checkBooks();
  });

  test('with the key of another account, a refund stays pending, and an error names both accounts', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_visa', { allowErrorLogs: true });
    const { shop, first, intent } = paid;
    const refund = () => paid.refund(first, { amount: 5 }, 'unlisted');
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    const sent = await refund();
    await shop.database.db.updateTable('payment').set({ account: 'acct_former' }).execute();
    await renameAtProvider(shop, intent.id, 'hidden');
    expect(await refund()).toEqual(sent);
    await paid.refund(first, { amount: 6 });
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({ refunds: [{ status: 'pending' }, { status: 'pending' }] });
    const errors = shop.logged.filter(({ level }) => level >= 50);
    // One for the replay, one for the second refund, and one for each of the two refunds in the periodic work.
    expect(errors).toHaveLength(4);
    for (const { msg } of errors)
      expect(msg).toMatch(/^the key is for acct_.*, which does not know a payment of acct_former: restore/);
    await renameAtProvider(shop, 'hidden', intent.id);
    expect(await refund()).toMatchObject({ insertedId: sent.insertedId });
    await paid.reconcile();
    // The accounts of the stand-in share their idempotency keys, so it replays its response to the second refund.
    expect(await paid.amountsAtProvider()).toEqual([500]);
    await paid.checkBooks();
  });

  test('a refund of a payment of our account that the provider does not know is refused', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, first, intent } = paid;
    const refused = { status: 402, type: 'urn:problem:provider_refused' };
    const refund = () => paid.refund(first, { amount: 5 }, 'sent-before');
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    await refund();
    await renameAtProvider(shop, intent.id, 'hidden');
    await paid.reconcile();
    expect(await catchProblem(refund())).toMatchObject(refused);
    expect(await catchProblem(paid.refund(first, { amount: 6 }))).toMatchObject(refused);
    expect(await paid.read(first)).toMatchObject({
      refunded: 0,
      refunds: [{ status: 'failed' }, { status: 'failed' }],
    });
    await renameAtProvider(shop, 'hidden', intent.id);
    await paid.checkBooks();
  });

  test('a list of refunds that cannot be parsed is an error, and the refund stays pending', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_visa', { allowErrorLogs: true });
    const { shop, first } = paid;
    const { id } = await paid.refundAtProvider({ amount: '100' });
    await withDatabases(shop.config.database, async ({ provider }) => {
      const { body } = await provider
        .selectFrom('stripe_object')
        .select('body')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const broken = JSON.stringify({ ...JSON.parse(body), currency: null });
      await provider.updateTable('stripe_object').set({ body: broken }).where('id', '=', id).execute();
    });
    await paid.refund(first, { amount: 5 });
    expect(await paid.read(first)).toMatchObject({ refunds: [{ status: 'pending' }] });
    const error = expect.objectContaining({ message: expect.stringContaining('cannot use its payment') });
    const msg = 'a refund could not be requested; the next reconciliation tries again';
    expect(shop.logged).toContainEqual(expect.objectContaining({ level: 50, msg, error }));
    await paid.reconcile();
    expect(shop.logged).toContainEqual(expect.objectContaining({ level: 50, part: 'refund', error }));
  });

  test('a refund that the provider refuses fails, does not count and returns no pieces, even of an archived product', async () => {
    await using paid = await startPaidShop(engine);
    const archive = { params: { id: paid.pliers._id }, body: { version: 1, archived: true } };
    await paid.shop.client(paid.admin).call('editProduct', archive);
    // A refund is made in the provider's dashboard, and its webhook has not come.
    await paid.refundAtProvider({ amount: '4000' });
    for (const attempt of ['first', 'replayed'])
      expect(
        await catchProblem(paid.refund(paid.first, { amount: 10, restock: 2 }, 'refused-refund')),
        attempt,
      ).toMatchObject({
        status: 402,
        type: 'urn:problem:provider_refused',
        detail: expect.stringContaining('greater than unrefunded'),
      });
    const order = await paid.read(paid.first);
    expect(order).toMatchObject({
      refunded: 40,
      refunds: [
        {
          amount: 10,
          restock: 0,
          status: 'failed',
          failure: expect.stringContaining('greater than unrefunded'),
        },
        { amount: 40, status: 'succeeded', requestedBy: '' },
      ],
    });
    expect(await paid.stock()).toBe(6);
    // The customer does not see the refused refund.
    expect((await paid.readPurchase()).orders[0]?.refunds).toMatchObject([{ amount: 40 }]);
    await paid.checkBooks();
  });

  test('a refund stays pending if the provider refuses it but cannot list the refunds, because it may have been made', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, first } = paid;
    const body = { amount: 10, quantity: 1, restock: 1 };
    // The first request was made; its response is lost, and the second one is refused.
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'timeout-after-success' });
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 400 });
    shop.stripe.fail({ call: 'GET /v1/refunds', how: 'unreachable', times: 2 });
    const { insertedId } = await paid.refund(first, body, 'unknown');
    expect(await paid.read(first)).toMatchObject({
      refunded: 10,
      refundPending: 10,
      removedQuantity: 1,
      refunds: [{ _id: insertedId, status: 'pending' }],
    });
    expect(await paid.refund(first, { ...body, version: 1 }, 'unknown')).toMatchObject({ insertedId });
    expect(await paid.read(first)).toMatchObject({
      refunded: 10,
      returnedQuantity: 1,
      refunds: [{ _id: insertedId, status: 'succeeded' }],
    });
    expect(await paid.amountsAtProvider()).toEqual([1000]);
    await paid.checkBooks();
  });

  test('a refund that is refused while its outcome is unknown ends once the provider lists the refunds', async () => {
    await using paid = await startPaidShop(engine);
    const { first } = paid;
    await paid.refundAtProvider();
    paid.shop.stripe.fail({ call: 'GET /v1/refunds', how: 'unreachable', times: 2 });
    const body = { amount: 40, quantity: 4 };
    const { insertedId } = await paid.refund(first, body, 'refused');
    expect(await paid.read(first)).toMatchObject({ refunded: 40, refundPending: 40 });
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({ refunds: [{ _id: insertedId, status: 'failed' }, {}] });
    const replay = paid.refund(first, { ...body, version: 1 }, 'refused');
    expect(await catchProblem(replay)).toMatchObject({ status: 402 });
    expect(await paid.readPurchase()).toMatchObject({ refunded: 45.5 });
    await paid.checkBooks();
  });

  test('a refusal is reported even if the refunds cannot be read a second time', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, first } = paid;
    await paid.refundAtProvider();
    shop.stripe.fail({
      call: 'GET /v1/refunds',
      how: 'slow',
      meanwhile: async () => shop.stripe.fail({ call: 'GET /v1/refunds', how: 'unreachable', times: 2 }),
    });
    expect(await catchProblem(paid.refund(first))).toMatchObject({ status: 402 });
    await paid.reconcile();
    expect(await paid.readPurchase()).toMatchObject({ refunded: 45.5 });
    await paid.checkBooks();
  });

  test('a refund that the provider refuses but lists counts as made, and is not reported as refused', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, first } = paid;
    const { db } = shop.database;
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 400 });
    shop.stripe.fail({
      call: 'GET /v1/refunds',
      how: 'slow',
      async meanwhile() {
        const { value } = await db
          .selectFrom('setting')
          .select('value')
          .where('name', '=', 'shop id')
          .executeTakeFirstOrThrow();
        const { id, status } = await db
          .selectFrom('refund')
          .select(['id', 'status'])
          .executeTakeFirstOrThrow();
        expect(status).toBe('pending');
        const own = { 'metadata[shop]': value, 'metadata[refund]': id };
        await paid.refundAtProvider({ amount: '1000', ...own, 'metadata[order]': `${first._id} 1000 1 1` });
      },
    });
    const { insertedId, version } = await paid.refund(first, { amount: 10, quantity: 1, restock: 1 }, 'made');
    const order = await paid.read(first);
    expect(order).toMatchObject({
      version,
      refunded: 10,
      refunds: [{ _id: insertedId, status: 'succeeded' }],
    });
    expect(await paid.refund(first, { amount: 10, quantity: 1, restock: 1, version: 1 }, 'made')).toEqual({
      insertedId,
      version,
    });
    expect(await paid.amountsAtProvider()).toEqual([1000]);
    await paid.checkBooks();
  });

  test('a refund that is canceled or fails no longer counts, but is still owed', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_pendingRefund');
    await paid.refund(paid.second);
    const { data } = await requestStripe(paid.shop, 'GET', `/refunds?payment_intent=${paid.intent.id}`);
    await requestStripe(paid.shop, 'POST', `/refunds/${data[0]?.id}/cancel`);
    await paid.reconcile();
    expect(await paid.read(paid.second)).toMatchObject({
      refunded: 0,
      owed: 5.5,
      refunds: [{ status: 'canceled' }],
    });
    expect(await catchProblem(paid.refund(paid.second))).toMatchObject({ status: 409 });
    await paid.checkBooks();
  });

  test('a refund can be pending for days', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_pendingRefund');
    const { shop, admin, customer } = paid;
    /** The amounts of the first order in both lists and in the export. */
    const list = async () => {
      const own = await shop.client(customer).call('listOwnOrders', { query: { user: customer.email } });
      const all = await shop.client(admin).call('listAllOrders', { query: { status: 'refunded' } });
      const query = { format: 'csv', status: 'refunded' };
      const csv = await sendCall(shop, 'listAllOrders', { query, headers: tokenHeaders(admin) });
      const orders = [own, all].map((rows) => rows.find(({ _id }) => _id === paid.first._id));
      return [
        ...orders.map((order) => [order?.refunded, order?.refundPending]),
        (await csv.text()).split('\r\n')[1]?.split(',').slice(7, 9),
      ];
    };
    await paid.refund(paid.first, { amount: 30 });
    await paid.reconcile();
    expect(await paid.read(paid.first)).toMatchObject({ refunded: 30, refunds: [{ status: 'pending' }] });
    expect(await list()).toEqual([
      [30, 30],
      [30, 30],
      ['0', '30'],
    ]);
    await paid.finishRefunds();
    await paid.reconcile();
    expect(await paid.read(paid.first)).toMatchObject({ refunded: 30, refunds: [{ status: 'succeeded' }] });
    expect(await list()).toEqual([
      [30, undefined],
      [30, undefined],
      ['30', '0'],
    ]);
    await paid.refund(paid.first, { amount: 10 });
    expect(await list()).toEqual([
      [40, 10],
      [40, 10],
      ['30', '10'],
    ]);
    expect(await paid.amountsAtProvider()).toEqual([1000, 3000]);
    await paid.checkBooks();
  });
});
