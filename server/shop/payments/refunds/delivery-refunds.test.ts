import { describe, expect, test } from 'vitest';
import type { Purchase } from '../../../../contract/orders/purchases.ts';
import type { Refund } from '../../../../contract/orders/refunds.ts';
import { auditSettled } from '../../../../tests/support/auditor.ts';
import { engines } from '../../../../tests/support/database.ts';
import { buyDelivered, setUpDelivery, toGreatBritain } from '../../../../tests/support/delivery.ts';
import { listLetters } from '../../../../tests/support/letters.ts';
import { requestStripe } from '../../../../tests/support/payments.ts';
import { catchProblem } from '../../../../tests/support/problem.ts';
import { startShop } from '../../../../tests/support/shop.ts';
import { waitUntil } from '../../../../tests/support/wait.ts';
import { readFacts } from '../../../operations/health/facts.ts';

/** A shop with a purchase of 25.00 and 3.00 and delivery of 4.50. */
async function open(engine: (typeof engines)[number], card = 'pm_card_visa') {
  const shop = await startShop({ engine });
  await shop.listen();
  const [admin, tom] = [await shop.admin(), await shop.signUp('Tom')];
  const gauge = await shop.addProduct({ name: 'Gauge', price: 12.5 });
  const broach = await shop.addProduct({ name: 'Broach', price: 3 });
  await setUpDelivery(
    shop,
    { zones: toGreatBritain([{ _id: 'post', name: 'Tracked 48', by: 'flat', price: 4.5 }]) },
    admin,
  );
  const opening = new Map([gauge, broach].map(({ _id, a_quantity: stock }) => [_id, { stock }]));
  const bought = await buyDelivered(
    shop,
    tom,
    [
      [gauge, 2],
      [broach, 1],
    ],
    'post',
    card,
  );
  const client = shop.client(admin);
  const [first = bought.purchase.orders[0], second] = bought.purchase.orders;
  const read = () => client.call('getPurchase', { params: { id: bought.purchase._id } });
  return {
    ...bought,
    shop,
    tom,
    client,
    first: first?._id ?? '',
    second: second?._id ?? '',
    read,
    refund: async (body: { amount: number; delivery?: number; quantity?: number; replaces?: string }) => {
      const { delivery, ...others } = body;
      const charges =
        delivery === undefined ? {} : { charges: [{ kind: 'delivery' as const, amount: delivery }] };
      const { version } = await read();
      return client.call('refundOrder', {
        params: { id: first?._id ?? '' },
        body: { version, reason: 'other', quantity: 0, restock: 0, ...others, ...charges },
      });
    },
    refundAtProvider: (form: Record<string, string>) =>
      requestStripe(shop, 'POST', '/refunds', { payment_intent: bought.intent, ...form }),
    /** Lets the refunds at the provider fail, if the card does. */
    finishRefunds: async () => {
      const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${bought.intent}`);
      for (const { id } of data) await shop.stripe.finish(id);
      // The periodic work leaves newer refunds to the webhook.
      const created_at = Date.now() - 120_000;
      await shop.database.db.updateTable('refund').set({ created_at }).execute();
      await shop.doPeriodicWork();
    },
    check: async () => {
      await shop.doPeriodicWork();
      expect(await auditSettled(shop.config.database, opening)).toEqual([]);
    },
    [Symbol.asyncDispose]: shop.close,
  };
}

const delivered = ({ charges = [] }: Purchase) => charges[0];
const outline = ({ amount, status, owed }: Refund) => ({ amount, status, ...(owed ? { owed } : {}) });

describe.each(engines)('refunds with delivery on %s', (engine) => {
  test('an order is refunded with a part of the delivery, then delivery alone, and no more than was paid', async () => {
    await using opened = await open(engine);
    const { client, refund, read, shop, tom } = opened;
    await refund({ amount: 12.5, quantity: 1, delivery: 1 });
    expect(await read()).toMatchObject({ refunded: 13.5, price: 32.5 });
    expect(delivered(await read())).toMatchObject({ amount: 4.5, refunded: 1 });
    expect(await catchProblem(refund({ amount: 1, delivery: 3.51 }))).toMatchObject({
      status: 409,
      detail: 'At most USD 3.50 of delivery can still be refunded.',
      data: { charges: [{ kind: 'delivery', refundable: 3.5 }] },
      errors: [{ field: 'charges' }],
    });
    for (const [amount, message] of [
      [0, 'Amount must be at least 0.01'],
      [-1, 'Amount must not be negative'],
    ] as const)
      expect(await catchProblem(refund({ amount }))).toMatchObject({ status: 422, errors: [{ message }] });
    expect(await catchProblem(refund({ amount: 0, delivery: 1, quantity: 1 }))).toMatchObject({
      status: 422,
    });
    await refund({ amount: 0, delivery: 3.5 });
    const current = await read();
    expect(current).toMatchObject({ refunded: 17 });
    expect(delivered(current)?.refunds?.map(outline)).toEqual([
      { amount: 1, status: 'succeeded' },
      { amount: 3.5, status: 'succeeded' },
    ]);
    expect(current.orders[0]?.refunded).toBe(12.5);
    expect(current.orders[0]?.history?.filter(({ charge }) => charge)).toMatchObject([
      { what: 'refund_started', amount: 1 },
      { what: 'refunded', amount: 1 },
      { what: 'refund_started', amount: 3.5 },
      { what: 'refunded', amount: 3.5 },
    ]);
    const letters = await waitUntil(async () => {
      const found = (await listLetters(shop, tom.email)).filter(({ subject }) =>
        subject?.startsWith('Refund'),
      );
      return found.length === 2 ? found : expect.unreachable();
    });
    const texts = letters.map(({ text }) => text).join();
    expect(texts).toContain('We’ve refunded USD 13.50 for 1 × Gauge and delivery in your order');
    expect(texts).toContain('We’ve refunded USD 3.50 of the USD 4.50 for delivery in your order');
    expect(await catchProblem(refund({ amount: 0, delivery: 0.01 }))).toMatchObject({ status: 409 });
    await client.call('refundPurchase', {
      params: { id: current._id },
      body: { version: current.version, reason: 'other', restock: true },
    });
    expect(await read()).toMatchObject({ refunded: 32.5 });
    await opened.check();
  });

  test('a refund of all that is left includes delivery', async () => {
    await using opened = await open(engine);
    const { version, _id } = await opened.read();
    await opened.client.call('refundPurchase', { params: { id: _id }, body: { version, reason: 'other' } });
    const current = await opened.read();
    expect([current.refunded, delivered(current)?.refunded]).toEqual([32.5, 4.5]);
    await opened.check();
  });

  test('a refund at the provider of all that is left includes delivery; an unclear one is assigned by an admin', async () => {
    await using opened = await open(engine);
    const { client, shop, read } = opened;
    await opened.refundAtProvider({ amount: '600' });
    await shop.doPeriodicWork();
    const unclear = await read();
    const [unassigned] = unclear.unassignedRefunds ?? [];
    expect([unclear.refunded, unassigned?.amount, delivered(unclear)?.refunded]).toEqual([6, 6, undefined]);
    const assign = (delivery: number) =>
      client.call('assignRefund', {
        params: { id: unassigned?._id ?? '' },
        body: {
          version: unclear.version,
          lines: [{ order: opened.second, amount: 3, quantity: 1, restock: 0 }],
          charges: [{ kind: 'delivery', amount: delivery }],
        },
      });
    expect(await catchProblem(assign(2))).toMatchObject({ status: 422 });
    expect(await catchProblem(assign(5))).toMatchObject({ status: 409 });
    await assign(3);
    expect(await read()).toMatchObject({ refunded: 6, orders: [{ refunded: 0 }, { refunded: 3 }] });
    expect(delivered(await read())?.refunded).toBe(3);
    await opened.refundAtProvider({});
    await shop.doPeriodicWork();
    const current = await read();
    expect(current).toMatchObject({ refunded: 32.5, orders: [{ refunded: 25 }, { refunded: 3 }] });
    expect(delivered(current)?.refunded).toBe(4.5);
    expect(current.unassignedRefunds).toBeUndefined();
    await opened.check();
  });

  test('a refund at the provider is for delivery only if nothing else can be meant', async () => {
    await using opened = await open(engine);
    const { shop, read } = opened;
    // Unclear when it was made. Later, exactly as much is left of delivery.
    await opened.refundAtProvider({ amount: '350' });
    await shop.doPeriodicWork();
    await opened.refund({ amount: 0, delivery: 1 });
    await shop.doPeriodicWork();
    expect((await read()).unassignedRefunds).toMatchObject([{ amount: 3.5 }]);
    expect(delivered(await read())?.refunded).toBe(1);
    await using other = await open(engine);
    await other.refundAtProvider({ amount: '450' });
    await other.shop.doPeriodicWork();
    expect(delivered(await other.read())?.refunded).toBe(4.5);
  });

  test('a refund of delivery alone does not decide whether refunded pieces are sent', async () => {
    await using opened = await open(engine);
    const { version } = await opened.read();
    await opened.client.call('refundOrder', {
      params: { id: opened.first },
      body: {
        version,
        amount: 0,
        reason: 'other',
        quantity: 0,
        restock: 0,
        stillSend: true,
        charges: [{ kind: 'delivery', amount: 1 }],
      },
    });
    const { still_send } = await opened.shop.database.db
      .selectFrom('refund')
      .select('still_send')
      .executeTakeFirstOrThrow();
    expect(still_send).toBe(0);
  });

  test('what failed of delivery is owed until it is refunded again', async () => {
    await using opened = await open(engine, 'pm_card_refundFail');
    const { shop, read, refund } = opened;
    const { insertedId } = await refund({ amount: 5, delivery: 2 });
    await opened.finishRefunds();
    const failed = await read();
    expect(failed).toMatchObject({ refunded: 0, orders: [{ owed: 5 }, {}] });
    expect(delivered(failed)).toMatchObject({ owed: 2, refunds: [{ amount: 2, status: 'failed', owed: 2 }] });
    expect((await readFacts(shop.database)).orderRefunds.owed).toMatchObject([{ amount: 7 }]);
    expect(await catchProblem(refund({ amount: 0, delivery: 2.51 }))).toMatchObject({ status: 409 });
    expect(await catchProblem(refund({ amount: 5, replaces: insertedId }))).toMatchObject({ status: 422 });
    await refund({ amount: 7, replaces: insertedId });
    const again = await read();
    expect(again).toMatchObject({ refunded: 7, orders: [{ refunded: 5 }, {}] });
    expect(delivered(again)).toMatchObject({ refunded: 2 });
    expect(delivered(again)?.owed).toBeUndefined();
    await opened.check();
  });

  test('what failed of delivery counts as refunded once it was repaid another way, also on the invoice', async () => {
    await using opened = await open(engine, 'pm_card_refundFail');
    const { insertedId } = await opened.refund({ amount: 5, delivery: 2 });
    await opened.finishRefunds();
    await opened.client.call('settleRefund', { params: { id: insertedId }, body: { outcome: 'repaid' } });
    const { _id, refunded } = await opened.read();
    const { purchases } = await opened.client.call('getPrintout', { query: { orders: _id } });
    expect([refunded, purchases[0]?.refunded]).toEqual([7, 7]);
  });

  test('a restored backup learns from the provider what was refunded of delivery', async () => {
    await using opened = await open(engine);
    const { shop, read } = opened;
    const { db } = shop.database;
    await opened.refund({ amount: 5, delivery: 2 });
    // As in a backup that was made before the refund.
    await db.deleteFrom('refund').execute();
    for (const table of ['order_line', 'charge'] as const)
      await db.updateTable(table).set({ refunded: 0 }).execute();
    await db.updateTable('purchase').set({ refunded: 0 }).execute();
    await shop.doPeriodicWork();
    expect(await read()).toMatchObject({ refunded: 7, orders: [{ refunded: 5 }, {}] });
    expect(delivered(await read())?.refunded).toBe(2);
  });
});
