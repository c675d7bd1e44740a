import { describe, expect, test } from 'vitest';
import { facts as shape } from '../../../contract/admin/health.ts';
import { engines } from '../../../tests/support/database.ts';
import { startPaidShop } from '../../../tests/support/paid-purchase.ts';
import { buy, openPayment, placeOrder, refundOrder, requestStripe } from '../../../tests/support/payments.ts';
import { startShop } from '../../../tests/support/shop.ts';
import { claimMail, recordAttempt } from '../../mail/outbox.ts';
import { readFacts } from './facts.ts';

describe.each(engines)('on %s', (engine) => {
  test('a new shop has no open payments, holds or errors, and reports its size', async () => {
    await using shop = await startShop({ engine });
    const facts = shape.parse(await readFacts(shop.database));
    expect(facts.payments).toMatchObject({ open: 0, oldestOpenAt: null, refundsDue: 0, unknown: 0 });
    expect(facts.holds).toEqual({ orders: 0, pieces: 0, nextEndsAt: null, overdue: 0 });
    expect(facts.errors).toEqual({ count: 0, lastAt: null, kinds: [] });
    expect(facts.webhook).toEqual({ lastAt: null, lastOfPaymentAt: null });
    expect(Date.parse(facts.periodicWork.lastFinishedAt ?? '')).toBeLessThanOrEqual(Date.now());
    expect(facts.database).toMatchObject({ engine, version: expect.stringMatching(/^\d{3}-[\w-]+$/) });
    expect(facts.database.bytes).toBeGreaterThan(50_000);
  });

  test('an unpaid order holds stock and its payment is open until the order is deleted', async () => {
    await using shop = await startShop({ engine });
    const [tom, product] = [await shop.signUp(), await shop.addProduct()];
    const order = await placeOrder(shop, tom, product, 3);
    await openPayment(shop, tom, order);
    const waiting = await readFacts(shop.database);
    expect(waiting.holds).toEqual({ orders: 1, pieces: 3, nextEndsAt: order.holdUntil, overdue: 0 });
    expect(waiting.payments).toMatchObject({ open: 1, unanswered: 0 });
    expect(Date.parse(waiting.payments.oldestOpenAt ?? '')).toBeLessThanOrEqual(Date.now());
    await shop.client(tom).call('deleteOrder', { params: { id: order._id } });
    const { holds, payments } = await readFacts(shop.database);
    expect([holds.orders, payments.open]).toEqual([0, 0]);
  });

  test('messages wait until they are sent, and refused ones are listed with the response', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const product = await shop.addProduct();
    // Delete the messages about the sign-up.
    await shop.database.db.deleteFrom('mail').execute();
    await placeOrder(shop, tom, product);
    const { mail: waiting } = await readFacts(shop.database);
    expect(waiting).toMatchObject({
      waiting: 1,
      oldestWaitingAt: expect.any(String),
      failedCount: 0,
      failed: [],
    });
    const refused = { state: 'failed', response: '550 No such user' } as const;
    const claimed = (await claimMail(shop.database)) ?? expect.unreachable();
    await recordAttempt(shop.database, claimed, refused);
    expect((await readFacts(shop.database)).mail).toMatchObject({
      waiting: 0,
      oldestWaitingAt: null,
      failedCount: 1,
      failed: [
        {
          to: tom.email,
          kind: 'order placed',
          addedAt: waiting.oldestWaitingAt,
          failedAt: expect.any(String),
          response: '550 No such user',
        },
      ],
    });
  });

  test('the message that failed last is listed first, however often it was tried', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const tom = await shop.signUp();
    const product = await shop.addProduct();
    await db.deleteFrom('mail').execute();
    for (const [attempts, response] of [
      [7, 'first'],
      [1, 'last'],
    ] as const) {
      await placeOrder(shop, tom, product);
      await db
        .updateTable('mail')
        .set({ attempts: attempts - 1 })
        .where('state', '=', 'waiting')
        .execute();
      const claimed = (await claimMail(shop.database)) ?? expect.unreachable();
      await recordAttempt(shop.database, claimed, { state: 'failed', response });
    }
    const { failed } = (await readFacts(shop.database)).mail;
    expect(failed.map(({ response }) => response)).toEqual(['last', 'first']);
  });

  test('a failed refund is reported once: it is not also logged as an error', async () => {
    await using shop = await startShop({ engine });
    await shop.stripe.close();
    const admin = shop.client(await shop.admin());
    const product = await shop.addProduct();
    const { order, intent } = await buy(shop, await shop.signUp(), product, 1, 'pm_card_refundFail');
    await refundOrder(admin, { params: { id: order._id }, body: { amount: 1, reason: 'other' } });
    const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${intent.id}`);
    await shop.stripe.finish(data[0]?.id ?? '');
    await shop.database.db.updateTable('refund').set({ created_at: 1 }).execute();
    await shop.doPeriodicWork();
    expect((await readFacts(shop.database)).orderRefunds.owed).toHaveLength(1);
    // The shop fails the test if it has logged an error.
  });

  test('the amount owed after a failed refund is reported, whatever is refunded later, and however long ago it failed', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { shop, first } = paid;
    const readOwed = async () => (await readFacts(shop.database)).orderRefunds.owed;
    // Both refunds are made before the first one fails.
    for (const amount of [10, 5]) await paid.refund(first, { amount });
    const { provider_id } = await shop.database.db
      .selectFrom('refund')
      .select('provider_id')
      .where('amount', '=', 1000)
      .executeTakeFirstOrThrow();
    await shop.stripe.finish(provider_id ?? '');
    await paid.reconcile();
    const owed = [{ number: (await paid.readPurchase()).number, amount: 10, currency: 'USD' }];
    expect(await readOwed()).toEqual(owed);
    await paid.refund(first, { amount: 10 });
    await shop.database.db.updateTable('refund').set({ created_at: 1, updated_at: 1 }).execute();
    expect(await readOwed()).toEqual(owed);
  });
});
