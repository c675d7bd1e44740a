import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { loseStock } from '../../../tests/support/late-payment.ts';
import { startPaidShop } from '../../../tests/support/paid-purchase.ts';
import { placeOrder, requestStripe, shipOrder } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { startShop } from '../../../tests/support/shop.ts';

describe.concurrent.each(engines)('on %s', (engine) => {
  test('an order has its history; only admins see who did what', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, customer, first, second } = paid;
    const params = { id: first._id };
    const { paidAt } = await paid.readPurchase();
    const own = async () => (await shop.client(customer).call('getOrder', { params })).history;
    const placed = { at: first.createdAt, what: 'placed' };
    const payment = { at: paidAt, what: 'paid' };
    expect(await own()).toEqual([placed, payment]);

    const body = { orderStatus: 'sipping' as const };
    await shipOrder(shop.client(admin), { params, body });
    await paid.refund(first, { amount: 2.5, quantity: 1 });
    const { shippedAt, refunds } = await paid.read(first);
    const shipped = { at: shippedAt, what: 'shipped' };
    const amounts = { amount: 2.5, quantity: 1 };
    const started = { at: refunds?.[0]?.createdAt, what: 'refund_started', ...amounts };
    const refunded = { at: refunds?.[0]?.updatedAt, what: 'refunded', ...amounts, status: 'succeeded' };
    expect(await own()).toEqual([placed, payment, shipped, started, refunded]);
    const who = admin.email;
    expect((await paid.read(first)).history).toEqual([
      placed,
      payment,
      { ...shipped, who },
      { ...started, who },
      refunded,
    ]);
    // The other order of the purchase has neither the shipment nor the refund.
    expect((await paid.read(second)).history).toEqual([placed, payment]);

    const createdAt = Date.now() + 60_000;
    await shop.database.db
      .insertInto('dispute')
      .values({
        id: 'du_1',
        purchase_id: first.purchase,
        intent: paid.intent.id,
        amount: 4550,
        currency: 'USD',
        reason: 'fraudulent',
        status: 'needs_response',
        is_open: 1,
        respond_by: null,
        created_at: createdAt,
      })
      .execute();
    const disputed = { at: new Date(createdAt).toISOString(), what: 'disputed', amount: 45.5 };
    expect((await own())?.at(-1)).toEqual(disputed);
    expect((await paid.read(first)).history?.at(-1)).toEqual({ ...disputed, status: 'needs_response' });
    const decidedAt = createdAt + 60_000;
    await shop.database.db
      .updateTable('dispute')
      .set({ status: 'lost', is_open: 0, decided_at: decidedAt })
      .execute();
    const at = new Date(decidedAt).toISOString();
    expect((await paid.read(first)).history?.slice(-2)).toEqual([
      disputed,
      { at, what: 'dispute_decided', amount: 45.5, status: 'lost' },
    ]);
    expect((await own())?.at(-1)).toEqual(disputed);
    // The provider rounds times down, so a dispute may seem older than its payment.
    await shop.database.db.updateTable('dispute').set({ created_at: 1 }).execute();
    expect((await own())?.slice(0, 3).map(({ what }) => what)).toEqual(['placed', 'paid', 'disputed']);
  });

  test('admins see when the tracking of an order was changed, and by whom', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, customer, first, second } = paid;
    const params = { id: first._id };
    for (const trackingNumber of ['A-1', 'A-2', 'A-3'])
      await shipOrder(shop.client(admin), { params, body: { orderStatus: 'sipping', trackingNumber } });
    const change = { at: expect.any(String), what: 'tracking_changed', who: admin.email };
    expect((await paid.read(first)).history?.slice(2)).toEqual([
      { at: expect.any(String), what: 'shipped', who: admin.email },
      change,
      change,
    ]);
    expect((await paid.read(second)).history).toHaveLength(2);
    const own = await shop.client(customer).call('getOrder', { params });
    expect(own.history?.map(({ what }) => what)).toEqual(['placed', 'paid', 'shipped']);
  });

  test('entries for what the provider did to a refund name no admin; only admins see settlements, with the admin who made them', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { shop, admin, first } = paid;
    const client = shop.client(admin);
    const colleague = await shop.admin();
    const fail = async (amount: number, replaces?: string) => {
      const { insertedId } = await paid.refund(first, {
        amount,
        quantity: 0,
        ...(replaces ? { replaces } : {}),
      });
      const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${paid.intent.id}`);
      await shop.stripe.finish(data[0]?.id ?? '');
      await paid.reconcile();
      return insertedId;
    };
    const settle = (id: string, outcome: 'repaid' | 'nothing_owed', person = admin) =>
      shop.client(person).call('settleRefund', { params: { id }, body: { outcome } });
    await settle(await fail(30, await fail(30)), 'nothing_owed');
    const [one, other] = [await fail(2), await fail(3)];
    await settle(other, 'repaid', colleague);
    await settle(one, 'repaid');
    await paid.refundAtProvider();
    await catchProblem(paid.refund(first, { amount: 4, quantity: 0 }));
    const { history = [] } = await client.call('getOrder', { params: { id: first._id } });
    const read = (what: string) =>
      history
        .filter((entry) => entry.what === what)
        .map(({ amount, status, who }) => [amount, status, who].filter((fact) => fact !== undefined));
    const who = admin.email;
    expect(read('refund_started')).toHaveLength(5);
    for (const [, by] of read('refund_started')) expect(by).toBe(who);
    expect(read('refunded')).toEqual([30, 30, 2, 3].map((amount) => [amount, 'failed']));
    expect(read('refund_refused')).toEqual([[4, 'failed']]);
    expect(read('owed_settled')).toEqual([
      [30, 'nothing_owed', who],
      [3, 'repaid', colleague.email],
      [2, 'repaid', who],
    ]);
    // Each settlement names its own admin even if all were made in the same millisecond.
    await shop.database.db
      .updateTable('refund')
      .set({ settled_at: Date.now() })
      .where('outcome', 'in', ['repaid', 'nothing_owed'])
      .execute();
    const settled = (await paid.read(first)).history?.filter(({ what }) => what === 'owed_settled');
    expect(settled?.map(({ amount, who: by }) => [amount, by])).toEqual([
      [30, who],
      [2, who],
      [3, colleague.email],
    ]);
    const own = await shop.client(paid.customer).call('getOrder', { params: { id: first._id } });
    const ownWhats = own.history?.map(({ what }) => what);
    for (const what of ['refund_refused', 'owed_settled']) expect(ownWhats).not.toContain(what);
    // The customer also sees how each refund ended.
    const outcomes = own.refunds?.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['refunded', 'nothing_owed', 'repaid', 'repaid']);
  });

  test('the history shows returned pieces, and a refund made at the provider before and after it is assigned', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, customer, first, second } = paid;
    const client = shop.client(admin);
    const who = admin.email;
    const at = expect.any(String);
    const params = { id: first._id };
    await paid.refundAtProvider({ amount: '1000' });
    await paid.reconcile();
    const started = { at, what: 'unassigned_refund_started', amount: 10 };
    const refunded = { at, what: 'unassigned_refunded', amount: 10, status: 'succeeded' };
    for (const person of [admin, customer])
      for (const { _id: id } of [first, second])
        expect((await shop.client(person).call('getOrder', { params: { id } })).history?.slice(2)).toEqual([
          started,
          refunded,
        ]);

    const purchase = await client.call('getPurchase', { params: { id: first.purchase } });
    const [refund] = purchase.unassignedRefunds ?? [];
    const line = { order: first._id, amount: 10, quantity: 1, restock: 0 };
    const body = { version: purchase.version, lines: [line] };
    await client.call('assignRefund', { params: { id: refund?._id ?? '' }, body });
    await shipOrder(client, { params, body: { orderStatus: 'sipping' } });
    for (const quantity of [1, 2]) {
      const { version } = await paid.read(first);
      await client.call('recordReturn', { params, body: { version, quantity } });
    }
    const amounts = { amount: 10, quantity: 1 };
    expect((await paid.read(first)).history?.slice(2)).toEqual([
      { at, what: 'refund_started', ...amounts },
      { at, what: 'refunded', ...amounts, status: 'succeeded' },
      { at, what: 'refund_assigned', who },
      { at, what: 'shipped', quantity: 3, who },
      { at, what: 'returned', quantity: 1, who },
      { at, what: 'returned', quantity: 2, who },
    ]);
    expect((await paid.read(second)).history).toHaveLength(2);
  });

  test('the history shows the refund of a payment that did not count towards the order', async () => {
    await using shop = await startShop({ engine, allowErrorLogs: true });
    await shop.stripe.close();
    const [admin, customer] = [await shop.admin(), await shop.signUp()];
    const { intent, order } = await loseStock(shop, customer);
    const late = await shop.client(admin).call('getPurchase', { params: { id: order.purchase } });
    await shop.client(admin).call('settleLatePayment', {
      params: { id: intent.id },
      body: { outcome: 'refunded', version: late.version },
    });
    const refund = { at: expect.any(String), amount: order.price };
    const params = { id: order._id };
    const started = { ...refund, what: 'automatic_refund_started' };
    const refunded = { ...refund, what: 'automatic_refunded', status: 'succeeded' };
    expect((await shop.client(admin).call('getOrder', { params })).history?.slice(2)).toEqual([
      { ...started, who: admin.email },
      refunded,
    ]);
    expect((await shop.client(customer).call('getOrder', { params })).history?.slice(2)).toEqual([
      started,
      refunded,
    ]);
  });

  test('the history shows when an order expired', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const order = await placeOrder(shop, tom, await shop.addProduct());
    const ended = Date.now();
    const { db } = shop.database;
    await db.updateTable('purchase').set({ hold_until: ended }).where('id', '=', order._id).execute();
    const readHistory = async () =>
      (await shop.client(tom).call('getOrder', { params: { id: order._id } })).history ?? [];
    // The hold may end in the millisecond in which the work starts.
    while ((await readHistory()).length < 2) await shop.doPeriodicWork();
    expect(await readHistory()).toEqual([
      { at: order.createdAt, what: 'placed' },
      { at: new Date(ended).toISOString(), what: 'expired' },
    ]);
  });
});
