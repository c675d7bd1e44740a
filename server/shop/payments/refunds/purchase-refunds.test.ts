import { describe, expect, test } from 'vitest';
import type { newPurchaseRefund } from '../../../../contract/orders/refunds.ts';
import { engines } from '../../../../tests/support/database.ts';
import { startPaidShop } from '../../../../tests/support/paid-purchase.ts';
import { placePurchase, requestStripe, shipParcel } from '../../../../tests/support/payments.ts';
import { catchProblem } from '../../../../tests/support/problem.ts';

type Engine = (typeof engines)[number];

/** A purchase of four pliers at 10.00 and a winder at 5.50, and a function that refunds what is left of it. */
async function startWhole(engine: Engine, card?: string) {
  const paid = await startPaidShop(engine, card);
  const client = paid.shop.client(paid.admin);
  return {
    ...paid,
    client,
    /** Refunds the rest of the purchase as an admin who has just read it. */
    async refundWhole(body: Partial<typeof newPurchaseRefund._zod.input> = {}, idempotencyKey?: string) {
      const { version } = await paid.read(paid.first);
      const params = { id: paid.first.number };
      return client.call('refundPurchase', {
        params,
        body: { version, reason: 'other', ...body },
        idempotencyKey,
      });
    },
    listRefunds: async () => {
      const { data } = await requestStripe(paid.shop, 'GET', `/refunds?payment_intent=${paid.intent.id}`);
      return data.map(({ amount, status }) => [amount, status]);
    },
  };
}

describe.concurrent.each(engines)('refunds of a whole purchase on %s', (engine) => {
  test('one refund covers all that is left; unshipped pieces are removed, and return to stock if an admin chooses that', async () => {
    await using paid = await startWhole(engine);
    const { shop, customer, first, second } = paid;
    await paid.refund(first, { amount: 10, quantity: 1 });
    await shipParcel(paid.client, { lines: [{ order: first._id, quantity: 1 }] });
    const { version } = await paid.read(first);
    const { insertedId, ...current } = await paid.refundWhole({ restock: true, note: 'A wrong address.' });
    // The version advances twice, because the partly shipped order also becomes shipped.
    expect(current).toEqual({ version: version + 2 });
    expect(await paid.listRefunds()).toEqual([
      [3550, 'succeeded'],
      [1000, 'succeeded'],
    ]);
    const refund = { _id: insertedId, status: 'succeeded', note: 'A wrong address.' };
    expect(await paid.read(first)).toMatchObject({
      refunded: 40,
      orderStatus: 'sipping',
      removedQuantity: 3,
      returnedQuantity: 2,
      refunds: [{ amount: 10 }, { ...refund, amount: 30, quantity: 3, restock: 2 }],
    });
    expect(await paid.read(second)).toMatchObject({
      refunded: 5.5,
      removedQuantity: 1,
      returnedQuantity: 1,
      refunds: [{ ...refund, amount: 5.5, quantity: 1, restock: 1 }],
    });
    expect(await paid.stock()).toBe(8);
    expect(await paid.readPurchase()).toMatchObject({ refunded: 45.5 });
    const mails = await shop.database.db.selectFrom('mail').select('about').execute();
    expect(mails.filter(({ about }) => about === insertedId)).toHaveLength(1);
    const log = await paid.client.call('listAudit', {});
    const logged = log.filter(({ action }) => action === 'refundOrder');
    expect(logged.map(({ target }) => target)).toEqual([second._id, first._id, first._id]);
    expect(await catchProblem(paid.refundWhole())).toMatchObject({
      status: 409,
      type: 'urn:problem:over_refund',
      detail: 'This order has been refunded in full.',
      data: { refundable: 0, version: version + 2 },
    });
    const own = shop.client(customer).call('refundPurchase', {
      params: { id: first.number },
      body: { version, reason: 'other' },
    });
    expect(await catchProblem(own)).toMatchObject({ status: 403 });
    await paid.checkBooks();
  });

  test('nothing returns to stock by default, and what is owed stays owed', async () => {
    await using paid = await startWhole(engine, 'pm_card_refundFail');
    await paid.refund(paid.first, { amount: 30, quantity: 3 });
    await paid.finishRefunds();
    await paid.reconcile();
    await paid.refundWhole();
    expect(await paid.read(paid.first)).toMatchObject({ refunded: 10, owed: 30, removedQuantity: 4 });
    expect(await paid.read(paid.second)).toMatchObject({ refunded: 5.5, removedQuantity: 1 });
    expect(await paid.stock()).toBe(6);
    expect(await catchProblem(paid.refundWhole())).toMatchObject({
      status: 409,
      detail: 'The rest of this order is still owed because a refund has failed.',
    });
    await paid.checkBooks();
  });

  test('what the bank has taken back after a lost dispute is not refunded again', async () => {
    await using paid = await startWhole(engine);
    await paid.shop.database.db.updateTable('purchase').set({ charged_back: 1000 }).execute();
    for (const refund of [() => paid.refundWhole(), () => paid.refund(paid.first, { amount: 36 })])
      expect(await catchProblem(refund())).toMatchObject({
        status: 409,
        type: 'urn:problem:over_refund',
        detail: expect.stringMatching(/bank has already returned .*10\.00.* at most .*35\.50 can still be/),
      });
    await paid.refund(paid.first, { amount: 35.5 });
    expect(await paid.amountsAtProvider()).toEqual([3550]);
  });

  test('an outdated version, an unpaid purchase, an unknown purchase and an unassigned refund are rejected', async () => {
    await using paid = await startWhole(engine);
    const { shop, client, customer, pliers, winder, first } = paid;
    const { version } = await paid.read(first);
    expect(await catchProblem(paid.refundWhole({ version: version - 1 }))).toMatchObject({
      status: 409,
      type: 'urn:problem:purchase_changed',
      data: { version },
    });
    const unpaid = await placePurchase(shop, customer, [
      [pliers, 1],
      [winder, 1],
    ]);
    const body = { version: unpaid.version, reason: 'other' } as const;
    expect(await catchProblem(client.call('refundPurchase', { params: { id: unpaid._id }, body }))).toEqual(
      expect.objectContaining({ status: 409, type: 'urn:problem:not_paid', data: { version: 1 } }),
    );
    expect(await catchProblem(client.call('refundPurchase', { params: { id: 'x' }, body }))).toMatchObject({
      status: 404,
    });
    expect(await catchProblem(paid.refundWhole({ note: 'x'.repeat(1001) }))).toMatchObject({ status: 422 });
    await paid.refundAtProvider({ amount: '4200' });
    await paid.reconcile();
    expect(await catchProblem(paid.refundWhole())).toMatchObject({
      status: 409,
      type: 'urn:problem:conflict',
      data: { version: version + 1 },
    });
    expect(await paid.amountsAtProvider()).toEqual([4200]);
  });

  test('a repeated request refunds once; while the provider is unreachable, the refund stays pending', async () => {
    await using paid = await startWhole(engine);
    paid.shop.stripe.fail({ call: 'POST /v1/refunds', how: 'timeout-after-success', times: 2 });
    const sent = await paid.refundWhole({ restock: true }, 'whole');
    expect(await paid.read(paid.first)).toMatchObject({ refunded: 40, refunds: [{ status: 'pending' }] });
    expect(await paid.stock()).toBe(6);
    const replay = await paid.refundWhole({ restock: true }, 'whole');
    expect(replay.insertedId).toBe(sent.insertedId);
    expect(await paid.amountsAtProvider()).toEqual([4550]);
    expect(await paid.stock()).toBe(10);
    expect(await catchProblem(paid.refundWhole({ restock: false }, 'whole'))).toMatchObject({
      status: 422,
      errors: [{ field: 'Idempotency-Key' }],
    });
    await paid.checkBooks();
  });

  test('if the provider refuses the refund, all pieces can be shipped again', async () => {
    await using paid = await startWhole(engine);
    // A refund is made in the provider's dashboard, and its webhook has not come.
    await paid.refundAtProvider({ amount: '200' });
    for (const attempt of ['first', 'replayed']) {
      const refused = await catchProblem(paid.refundWhole({ restock: true }, 'refused'));
      const { version } = await paid.read(paid.first);
      expect(refused, attempt).toMatchObject({ status: 402, data: { version } });
    }
    for (const order of [paid.first, paid.second]) {
      const { removedQuantity, refunded, refunds } = await paid.read(order);
      expect([removedQuantity, refunded]).toEqual([undefined, 0]);
      expect(refunds).toMatchObject([{ status: 'failed', restock: 0 }]);
    }
    expect(await paid.readPurchase()).toMatchObject({ refunded: 2 });
    expect(await paid.stock()).toBe(6);
    await paid.checkBooks();
  });

  test('a refused refund that was owed for one order removes no pieces of another order later', async () => {
    await using paid = await startWhole(engine);
    const { shop, client, first, second } = paid;
    const ship = (order: { _id: string }) =>
      shipParcel(client, { lines: [{ order: order._id, quantity: 1 }] });
    const undo = (id: string) => client.call('undoShipment', { params: { id } });
    await ship(first);
    const parcel = await ship(first);
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    const { insertedId } = await paid.refundWhole();
    // The first order is shipped without the removed pieces, so its amount is owed once the provider refuses.
    await undo(parcel);
    await paid.refundAtProvider({ amount: '100' });
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({ orderStatus: 'sipping', removedQuantity: 3, owed: 40 });
    const params = { id: insertedId };
    await client.call('settleRefund', { params, body: { outcome: 'nothing_owed' } });
    const { refunds, history = [] } = await paid.read(second);
    expect(refunds?.[0]).not.toHaveProperty('outcome');
    expect(history.map(({ what }) => what)).not.toContain('owed_settled');
    // The second order is shipped, refunded at the provider, and its parcel taken back.
    const [unassigned] =
      (await client.call('getPurchase', { params: { id: first.purchase } })).unassignedRefunds ?? [];
    const { version } = await paid.read(second);
    await client.call('assignRefund', {
      params: { id: unassigned?._id ?? '' },
      body: { version, lines: [{ order: second._id, amount: 1, quantity: 0, restock: 0 }] },
    });
    const sent = await ship(second);
    await paid.refundAtProvider({ amount: '450' });
    await paid.reconcile();
    await undo(sent);
    expect(await paid.read(second)).toMatchObject({ refunded: 5.5, removedQuantity: 1 });
    await paid.checkBooks();
  });
});
