import { describe, expect, test } from 'vitest';
import { engines } from '../../../../tests/support/database.ts';
import { startPaidShop } from '../../../../tests/support/paid-purchase.ts';
import { buy, requestStripe, shipParcel } from '../../../../tests/support/payments.ts';
import { catchProblem } from '../../../../tests/support/problem.ts';

describe.each(engines)('refunds made at the provider on %s', (engine) => {
  test('a refund of exactly the rest of one order is for that order, and removes its unshipped pieces', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, first, second } = paid;
    await paid.refund(first, { amount: 1 });
    await shipParcel(shop.client(admin), { lines: [{ order: first._id, quantity: 1 }] });
    await paid.refundAtProvider({ amount: '3900', reason: 'duplicate' });
    await paid.reconcile();
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({
      refunded: 40,
      orderStatus: 'sipping',
      removedQuantity: 3,
      shippedQuantity: 1,
      refunds: [
        { amount: 1 },
        { amount: 39, reason: 'duplicate', status: 'succeeded', quantity: 3, restock: 0, requestedBy: '' },
      ],
    });
    expect(await paid.read(second)).toMatchObject({ refunded: 0, refunds: [] });
    expect(await paid.stock()).toBe(6);
    await paid.checkBooks();
  });

  test('a refund of exactly the rest of the whole purchase is for all of its orders', async () => {
    await using paid = await startPaidShop(engine);
    await paid.refund(paid.first, { amount: 1 });
    await paid.refundAtProvider();
    await paid.reconcile();
    expect(await paid.read(paid.first)).toMatchObject({ refunded: 40, removedQuantity: 4 });
    expect(await paid.read(paid.second)).toMatchObject({ refunded: 5.5, removedQuantity: 1 });
    await paid.checkBooks();
  });

  test('any other refund of several orders is assigned to none of them, but counts for the purchase', async () => {
    await using paid = await startPaidShop(engine);
    const { version } = await paid.read(paid.first);
    await paid.refundAtProvider({ amount: '4200' });
    await paid.reconcile();
    await paid.reconcile();
    expect(await paid.readPurchase()).toMatchObject({ refunded: 42, version: version + 1 });
    for (const order of [paid.first, paid.second])
      expect(await paid.read(order)).toMatchObject({ refunded: 0, refunds: [] });
    const printout = { query: { orders: paid.first._id } };
    const { purchases } = await paid.shop.client(paid.admin).call('getPrintout', printout);
    expect(purchases[0]?.lines).toMatchObject([{ hasUnknownRefund: true }, { hasUnknownRefund: true }]);
    // No more than was paid can be refunded.
    await expect(paid.refund(paid.first, { amount: 10, quantity: 1 })).rejects.toThrow(/At most USD 3.50/);
    await paid.refund(paid.first, { amount: 3.5, quantity: 0 });
    await paid.checkBooks();
  });

  test('a refund that is assigned to no order and fails later is owed for the orders in turn, until an admin settles it', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { shop, admin, first, second } = paid;
    const client = shop.client(admin);
    await paid.refundAtProvider({ amount: '4200' });
    await paid.reconcile();
    expect(await paid.readPurchase()).toMatchObject({ refunded: 42 });
    await paid.finishRefunds();
    await paid.reconcile();
    expect(await paid.readPurchase()).toMatchObject({ refunded: 0 });
    const owed = await paid.read(first);
    expect([owed, await paid.read(second)]).toMatchObject([
      { owed: 40, refunds: [{ amount: 40, status: 'failed' }] },
      { owed: 2, refunds: [{ amount: 2, status: 'failed' }] },
    ]);
    const { facts } = await client.call('getHealth', {});
    expect(facts.orderRefunds.owed).toMatchObject([{ number: owed.number }]);
    const id = owed.refunds?.[0]?._id ?? expect.unreachable();
    await client.call('settleRefund', {
      params: { id },
      body: { outcome: 'nothing_owed', note: 'Paid in cash.' },
    });
    for (const order of [first, second]) expect((await paid.read(order)).owed ?? 0).toBe(0);
    await paid.checkBooks();
  });

  test('an admin assigns a refund to its orders, once; an assignment that does not fit is rejected', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, customer, first, second } = paid;
    await paid.refundAtProvider({ amount: '4200' });
    await paid.reconcile();
    const client = shop.client(admin);
    const params = { id: first.purchase };
    const { unassignedRefunds, version } = await client.call('getPurchase', { params });
    expect(unassignedRefunds).toMatchObject([{ amount: 42, requestedBy: '' }]);
    expect(await paid.read(first)).toMatchObject({ unassigned: 42 });
    expect(await shop.client(customer).call('getPurchase', { params })).not.toHaveProperty(
      'unassignedRefunds',
    );
    const refund = { id: unassignedRefunds?.[0]?._id ?? '' };
    const line = { order: first._id, amount: 40, quantity: 0, restock: 2 };
    const other = { order: second._id, amount: 2, quantity: 0, restock: 0 };
    const assign = (lines: (typeof line)[], seen = version) =>
      client.call('assignRefund', { params: refund, body: { version: seen, lines } });
    for (const [lines, status] of [
      [[line], 422],
      [[{ ...line, order: 'x' }, other], 422],
      [
        [
          { ...line, amount: 41 },
          { ...other, amount: 1 },
        ],
        409,
      ],
      [[{ ...line, restock: 5 }, other], 409],
      [[{ ...line, quantity: 5 }, other], 409],
    ] as const)
      expect(await catchProblem(assign([...lines]))).toMatchObject({ status });
    expect(await catchProblem(assign([line, other], version - 1))).toMatchObject({
      status: 409,
      type: 'urn:problem:purchase_changed',
      data: { version },
    });
    expect(await assign([line, other])).toEqual({ modifiedCount: 1, version: version + 1 });
    expect(await paid.read(first)).toMatchObject({
      refunded: 40,
      removedQuantity: 4,
      refundedQuantity: 4,
      returnedQuantity: 2,
    });
    expect(await paid.read(second)).toMatchObject({ refunded: 2 });
    expect(await paid.read(second)).not.toHaveProperty('unassigned');
    expect(await paid.stock()).toBe(8);
    expect(await catchProblem(assign([line, other], version + 1))).toMatchObject({
      status: 409,
      type: 'urn:problem:conflict',
    });
    await paid.checkBooks();
  });

  test('a refund of exactly the rest of two orders is assigned to neither', async () => {
    await using paid = await startPaidShop(engine);
    await paid.refund(paid.first, { amount: 34.5, quantity: 0 });
    await paid.refundAtProvider({ amount: '550' });
    await paid.reconcile();
    expect(await paid.read(paid.first)).toMatchObject({ refunded: 34.5 });
    expect(await paid.read(paid.second)).toMatchObject({ refunded: 0 });
    expect(await paid.readPurchase()).toMatchObject({ refunded: 40 });
    await paid.checkBooks();
  });

  test('a refund of a purchase with one order is for that order; a partial refund has no number of pieces', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, customer, pliers } = paid;
    const { order, intent } = await buy(shop, customer, pliers, 2);
    await requestStripe(shop, 'POST', '/refunds', { payment_intent: intent.id, amount: '500' });
    await paid.reconcile();
    const read = () => shop.client(admin).call('getOrder', { params: { id: order._id } });
    const { refunds, ...rest } = await read();
    expect(rest).toMatchObject({ refunded: 5 });
    expect(rest).not.toHaveProperty('refundedQuantity');
    expect(refunds?.map(({ amount, quantity }) => [amount, quantity])).toEqual([[5, undefined]]);
    await requestStripe(shop, 'POST', '/refunds', { payment_intent: intent.id });
    await paid.reconcile();
    expect(await read()).toMatchObject({ refunded: 20, refundedQuantity: 2, removedQuantity: 2 });
    await paid.checkBooks();
  });

  test('a refund that was requested here, and that a restore lost, is assigned to its order again, with its pieces', async () => {
    await using paid = await startPaidShop(engine);
    const { db } = paid.shop.database;
    await paid.refund(paid.first, { amount: 10, quantity: 2, restock: 1 });
    // As in a backup that was made before the refund.
    await db.deleteFrom('refund').execute();
    const none = { refunded: 0, refunded_quantity: 0, removed: 0, returned: 0 };
    await db.updateTable('order_line').set(none).execute();
    await db.updateTable('purchase').set({ refunded: 0 }).execute();
    await paid.reconcile();
    expect(await paid.read(paid.first)).toMatchObject({
      refunded: 10,
      refundedQuantity: 2,
      removedQuantity: 2,
      returnedQuantity: 1,
      refunds: [{ amount: 10, quantity: 2, restock: 1, requestedBy: 'the shop' }],
    });
    expect(await paid.read(paid.second)).toMatchObject({ refunded: 0 });
    // A refund made in the provider's dashboard is not ours, even with an order's id in its metadata.
    const { value } = await db
      .selectFrom('setting')
      .select('value')
      .where('name', '=', 'shop id')
      .executeTakeFirstOrThrow();
    const metadata = { 'metadata[shop]': value, 'metadata[order]': paid.first._id };
    await paid.refundAtProvider({ amount: '500', ...metadata });
    await paid.reconcile();
    const { refunds, history = [] } = await paid.read(paid.first);
    expect(refunds).toMatchObject([{ requestedBy: 'the shop' }, { amount: 5, requestedBy: '' }]);
    const started = history.filter(({ what }) => what === 'refund_started');
    expect(started.map(({ amount, who }) => [amount, who])).toEqual([
      [10, 'the shop'],
      [5, undefined],
    ]);
  });

  test('a restored refund that fits its order only once another refund is refused returns its pieces to stock, too', async () => {
    await using paid = await startPaidShop(engine);
    await paid.refund(paid.first, { amount: 36, quantity: 3, restock: 3 });
    const { db } = paid.shop.database;
    await db.deleteFrom('refund').execute();
    const none = { refunded: 0, refunded_quantity: 0, removed: 0, returned: 0 };
    await db.updateTable('order_line').set(none).execute();
    await db.updateTable('purchase').set({ refunded: 0 }).execute();
    const stock = await paid.stock();
    paid.shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    await paid.refund(paid.first, { amount: 10 });
    await paid.reconcile();
    expect(await paid.read(paid.first)).toMatchObject({
      refunded: 36,
      removedQuantity: 3,
      returnedQuantity: 3,
      refunds: expect.arrayContaining([expect.objectContaining({ amount: 36, restock: 3 })]),
    });
    expect(await paid.stock()).toBe(stock + 3);
  });

  test('after a restore, an order is still shipped although all of its money is refunded', async () => {
    await using paid = await startPaidShop(engine);
    await paid.refund(paid.first, { amount: 40, quantity: 1, restock: 1, stillSend: true });
    const { db } = paid.shop.database;
    await db.deleteFrom('refund').execute();
    const none = { refunded: 0, refunded_quantity: 0, removed: 0, returned: 0, still_send: 0 };
    await db.updateTable('order_line').set(none).execute();
    await db.updateTable('purchase').set({ refunded: 0 }).execute();
    await paid.reconcile();
    expect(await paid.read(paid.first)).toMatchObject({
      refunded: 40,
      removedQuantity: 1,
      returnedQuantity: 1,
      stillSend: true,
    });
  });

  test('a refund whose metadata name only an order is assigned to it; unknown orders and amounts that do not fit are ignored', async () => {
    await using paid = await startPaidShop(engine);
    const { value: shopId } = await paid.shop.database.db
      .selectFrom('setting')
      .select('value')
      .where('name', '=', 'shop id')
      .executeTakeFirstOrThrow();
    const refund = (order: string) =>
      paid.refundAtProvider({ amount: '200', 'metadata[shop]': shopId, 'metadata[order]': order });
    await refund(paid.second._id);
    await paid.reconcile();
    expect(await paid.read(paid.second)).toMatchObject({ refunded: 2 });
    for (const order of ['x', `${paid.second._id} 100 1 0`, `${paid.second._id},${paid.second._id}`])
      await refund(order);
    await paid.reconcile();
    expect(await paid.read(paid.second)).toMatchObject({ refunded: 2 });
    expect(await paid.readPurchase()).toMatchObject({ refunded: 8 });
    await paid.checkBooks();
  });

  test('once a pending refund is refused, a refund made at the provider uses the amount that it had reserved', async () => {
    await using paid = await startPaidShop(engine);
    paid.shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    await paid.refund(paid.first, { amount: 10 });
    await paid.refundAtProvider();
    // The reconciliation syncs before it requests the pending refund, which still reserves a part of the first order.
    await paid.reconcile();
    expect(await paid.readPurchase()).toMatchObject({ refunded: 45.5 });
    expect(await paid.read(paid.first)).toMatchObject({
      refunds: [
        { amount: 10, status: 'failed' },
        { amount: 40, status: 'succeeded', requestedBy: '' },
      ],
    });
    await paid.reconcile();
    expect(await paid.amountsAtProvider()).toEqual([4550]);
    expect(paid.shop.logged.filter(({ level }) => level >= 50)).toEqual([]);
    await paid.checkBooks();
  });

  test('if one purchase cannot be synced, the same run still syncs other purchases', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, customer, pliers } = paid;
    const other = await buy(shop, customer, pliers);
    await paid.refundAtProvider();
    await requestStripe(shop, 'POST', '/refunds', { payment_intent: other.intent.id });
    const call = 'GET /v1/refunds';
    // The first call lists the newest refunds. The next call, for the refunds of one purchase, fails.
    const meanwhile = async () => shop.stripe.fail({ call, how: 500 });
    shop.stripe.fail({ call, how: 'slow', meanwhile });
    const refunded = async () => [
      (await paid.readPurchase()).refunded,
      (await paid.read(other.order)).refunded,
    ];
    await paid.reconcile();
    expect([
      [45.5, 0],
      [0, 10],
    ]).toContainEqual(await refunded());
    await paid.reconcile();
    expect(await refunded()).toEqual([45.5, 10]);
  });

  test('a failed refund made at the provider appears here, even if another refund has refunded everything', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { shop, first } = paid;
    const { id } = await paid.refundAtProvider();
    await shop.stripe.finish(id);
    await paid.refundAtProvider();
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({
      refunded: 40,
      owed: 40,
      refunds: [{ status: 'failed', failure: 'expired_or_canceled_card' }, { status: 'succeeded' }],
    });
    await paid.checkBooks();
  });
});
