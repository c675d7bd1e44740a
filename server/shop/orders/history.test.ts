import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { startPaidShop } from '../../../tests/support/paid-purchase.ts';
import { placeOrder, shipOrder } from '../../../tests/support/payments.ts';
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
    const refunded = {
      ...{ at: refunds?.[0]?.updatedAt, what: 'refunded', amount: 2.5, quantity: 1 },
      status: 'succeeded',
    };
    expect(await own()).toEqual([placed, payment, shipped, refunded]);
    const who = admin.email;
    expect((await paid.read(first)).history).toEqual([
      ...[placed, payment, { ...shipped, who }, { ...refunded, who }],
    ]);
    // The other order of the purchase has neither.
    expect((await paid.read(second)).history).toEqual([placed, payment]);

    const createdAt = Date.now() + 60_000;
    await shop.database.db
      .insertInto('dispute')
      .values({
        ...{ id: 'du_1', purchase_id: first.purchase, intent: paid.intent.id, amount: 4550, currency: 'USD' },
        ...{ reason: 'fraudulent', status: 'needs_response', is_open: 1, respond_by: null },
        created_at: createdAt,
      })
      .execute();
    const disputed = { at: new Date(createdAt).toISOString(), what: 'disputed' };
    expect((await own())?.at(-1)).toEqual(disputed);
    expect((await paid.read(first)).history?.at(-1)).toEqual({ ...disputed, status: 'needs_response' });
    // The provider's whole seconds may precede the payment.
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
      ...[change, change],
    ]);
    expect((await paid.read(second)).history).toHaveLength(2);
    const own = await shop.client(customer).call('getOrder', { params });
    expect(own.history?.map(({ what }) => what)).toEqual(['placed', 'paid', 'shipped']);
  });

  test('an order whose hold ended has expired', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const order = await placeOrder(shop, tom, await shop.addProduct());
    const ended = Date.now();
    const { db } = shop.database;
    await db.updateTable('purchase').set({ hold_until: ended }).where('id', '=', order._id).execute();
    await shop.doPeriodicWork();
    const { history } = await shop.client(tom).call('getOrder', { params: { id: order._id } });
    expect(history).toEqual([
      { at: order.createdAt, what: 'placed' },
      { at: new Date(ended).toISOString(), what: 'expired' },
    ]);
  });
});
