import { describe, expect, test } from 'vitest';
import { engines } from '../../../../tests/support/database.ts';
import { startPaidShop } from '../../../../tests/support/paid-purchase.ts';
import { buy, requestStripe } from '../../../../tests/support/payments.ts';

describe.each(engines)('refunds made at the provider on %s', (engine) => {
  test('a refund made at the provider appears here, split over the orders of the purchase', async () => {
    await using paid = await startPaidShop(engine);
    await paid.refund(paid.first, { amount: 1 });
    await paid.refundAtProvider({ amount: '4200', reason: 'duplicate' });
    await paid.reconcile();
    await paid.reconcile();
    expect(await paid.read(paid.first)).toMatchObject({ refunded: 40 });
    expect(await paid.read(paid.second)).toMatchObject({
      refunded: 3,
      refunds: [{ amount: 3, reason: 'duplicate', status: 'succeeded', requestedBy: '' }],
    });
    expect(await paid.readPurchase()).toMatchObject({ refunded: 43 });
    await paid.checkBooks();
  });

  test('a refund that was requested here, and that a failover lost, belongs to its order again', async () => {
    await using paid = await startPaidShop(engine);
    const { db } = paid.shop.database;
    await paid.refund(paid.second, { amount: 3 });
    await db.deleteFrom('refund').execute();
    await db.updateTable('order_line').set({ refunded: 0 }).execute();
    await paid.reconcile();
    expect(await paid.read(paid.first)).toMatchObject({ refunded: 0 });
    expect(await paid.read(paid.second)).toMatchObject({ refunded: 3, refunds: [{ amount: 3 }] });
  });

  test('a refund made at the provider uses the amount that a pending one had reserved, once that is refused', async () => {
    await using paid = await startPaidShop(engine);
    paid.shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    await paid.refund(paid.first, { amount: 10 });
    await paid.refundAtProvider();
    // Syncs before it requests the pending refund, which still reserves a part of the first order.
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

  test('a failure to sync one purchase does not keep the same run from syncing the others', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, customer, pliers } = paid;
    const other = await buy(shop, customer, pliers);
    await paid.refundAtProvider();
    await requestStripe(shop, 'POST', '/refunds', { payment_intent: other.intent.id });
    const call = 'GET /v1/refunds';
    // The first call lists the newest refunds, the next those of one purchase.
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

  test('a failed refund made at the provider appears here, even beside one that refunded everything', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { shop, first } = paid;
    const { id } = await paid.refundAtProvider();
    await shop.stripe.finish(id);
    await paid.refundAtProvider();
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({
      refunded: 40,
      refunds: [{ status: 'succeeded' }, { status: 'failed', failure: 'expired_or_canceled_card' }],
    });
    await paid.checkBooks();
  });
});
