import { describe, expect, inject, test } from 'vitest';
import type { Purchase } from '../../../../contract/orders/purchases.ts';
import { auditBooks, auditMoney, readBooks } from '../../../../tests/support/auditor.ts';
import { engines } from '../../../../tests/support/database.ts';
import {
  confirmIntent,
  openPurchasePayment,
  placePurchase,
  refundOrder,
  requestStripe,
} from '../../../../tests/support/payments.ts';
import { listDeskCalls } from '../../../../tests/support/refund-desk.ts';
import { startShop, type TestShop } from '../../../../tests/support/shop.ts';
import { createRandom, type Random } from '../../../../tests/torture/random.ts';

const rounds = 25;
/** How many refunds and other changes happen at once. */
const changesPerRound = 6;
const cards = ['pm_card_visa', 'pm_card_pendingRefund', 'pm_card_refundFail', 'pm_card_createDispute'];
const failures = ['unreachable', 'timeout-after-success', 500, 429] as const;
const calls = ['POST /v1/refunds', 'GET /v1/refunds'];

type Paid = { purchase: Purchase; intent: string };

describe.each(engines)('on %s', (engine) => {
  test('the books balance whatever admins, the provider and the bank do at once, and however the provider fails', async () => {
    await using shop = await startShop({ engine, allowErrorLogs: true });
    const random = createRandom(inject('seed'));
    const products = [await shop.addProduct({ price: 10 }), await shop.addProduct({ price: 0.5 })];
    const opening = new Map(products.map(({ _id, a_quantity }) => [_id, { stock: a_quantity }]));
    const customer = await shop.signUp();
    const paid: Paid[] = [];
    for (const card of cards) {
      const purchase = await placePurchase(
        shop,
        customer,
        products.map((product) => [product, 2]),
      );
      const { id } = await openPurchasePayment(shop, customer, purchase);
      await confirmIntent(shop, { id }, card);
      paid.push({ purchase, intent: id });
    }
    const admin = shop.client(await shop.admin());
    const read = (id: string) => admin.call('getPurchase', { params: { id } });
    for (const { purchase } of paid)
      await expect.poll(() => read(purchase._id)).toMatchObject({ paid: true });

    for (let round = 0; round < rounds; round++) {
      await Promise.all(
        Array.from({ length: changesPerRound }, () => changeSomething(shop, admin, random, paid)),
      );
      const books = await readBooks(shop.config.database);
      expect(auditBooks(books, opening)).toEqual([]);
    }
    await endFailures(shop);
    await expect
      .poll(async () => {
        await reconcile(shop);
        const books = await readBooks(shop.config.database);
        return [...auditBooks(books, opening), ...auditMoney(books)];
      })
      .toEqual([]);
    const refunds = await shop.database.db.selectFrom('refund').select(['status', 'actor']).execute();
    expect(refunds.some(({ status }) => status === 'succeeded')).toBe(true);
    expect(new Set(refunds.map(({ actor }) => actor !== ''))).toEqual(new Set([true, false]));
  }, 60_000);
});

type Admin = ReturnType<TestShop['client']>;

async function changeSomething(shop: TestShop, admin: Admin, random: Random, paid: Paid[]): Promise<unknown> {
  const { purchase, intent } = random.pick(paid) ?? expect.unreachable();
  const amount = 1 + random.below(500);
  if (random.chance(0.25)) {
    const current = await admin.call('getPurchase', { params: { id: purchase._id } });
    const call = random.pick(listDeskCalls(admin, current, random));
    // Refunding all early would leave nothing for the other changes.
    if (!call || (call.name === 'refund all' && random.chance(0.9))) return;
    return call
      .send()
      .catch((error: unknown) =>
        expect(error).toMatchObject({ problem: { status: expect.toBeOneOf([402, 409]) } }),
      );
  }
  if (random.chance(0.5)) {
    const order = random.pick(purchase.orders) ?? expect.unreachable();
    const restock = random.below(2);
    const pieces = random.chance(0.5) ? { quantity: restock + random.below(2) } : {};
    const body = { amount: amount / 100, reason: 'other', restock, ...pieces } as const;
    // 402: the provider refuses. 409: less is left. 422: all money, but not all pieces.
    return refundOrder(admin, { params: { id: order._id }, body }).catch((error: unknown) =>
      expect(error).toMatchObject({ problem: { status: expect.toBeOneOf([402, 409, 422]) } }),
    );
  }
  if (random.chance(0.1)) {
    const order = random.pick(purchase.orders) ?? expect.unreachable();
    // 409: all its pieces are refunded.
    const body = { orderStatus: 'sipping' } as const;
    return admin
      .call('shipOrder', { params: { id: order._id }, body })
      .catch((error: unknown) => expect(error).toMatchObject({ problem: { status: 409 } }));
  }
  if (random.chance(0.3))
    return atProvider(shop, '/refunds', { payment_intent: intent, amount: `${amount}` });
  if (random.chance(0.4)) return finishRefund(shop, intent);
  if (random.chance(0.3)) return reconcile(shop);
  const [call = '', how = 500] = [random.pick(calls), random.pick(failures)];
  shop.stripe.fail({ call, how, times: 1 + random.below(3) });
}

/** The injected failures hit these calls too. */
const atProvider = (shop: TestShop, path: string, form: Record<string, string>) =>
  requestStripe(shop, 'POST', path, form).catch(() => undefined);

/** Calls the provider until no injected failure is left. */
async function endFailures(shop: TestShop): Promise<void> {
  const isAnswered = async (method: 'GET' | 'POST') => {
    const form = { payment_intent: 'pi_none' };
    const response = await requestStripe(shop, method, '/refunds', form).catch(() => undefined);
    return method === 'GET' ? response?.data !== undefined : response?.error?.code === 'resource_missing';
  };
  await expect.poll(() => isAnswered('GET')).toBe(true);
  await expect.poll(() => isAnswered('POST')).toBe(true);
}

/** Applies the bank's later result to one refund: a pending refund succeeds, a succeeded one fails. */
async function finishRefund(shop: TestShop, intent: string): Promise<void> {
  const refunds = await shop.database.db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.id', 'refund.payment_id')
    .select('provider_id')
    .where('payment.intent', '=', intent)
    .where('status', 'in', ['pending', 'succeeded'])
    .limit(1)
    .execute();
  for (const { provider_id } of refunds) if (provider_id) await shop.stripe.finish(provider_id);
}

/** Runs the periodic work as if all refunds had been requested two minutes ago. */
async function reconcile(shop: TestShop): Promise<void> {
  await shop.database.db
    .updateTable('refund')
    .set({ created_at: Date.now() - 120_000 })
    .execute();
  await shop.doPeriodicWork();
}
