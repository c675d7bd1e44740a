import { describe, expect, test } from 'vitest';
import { engines } from '../../../../tests/support/database.ts';
import { listLetters, waitForDelivery } from '../../../../tests/support/letters.ts';
import { startPaidShop } from '../../../../tests/support/paid-purchase.ts';
import { requestStripe } from '../../../../tests/support/payments.ts';
import { catchProblem } from '../../../../tests/support/problem.ts';
import type { TestShop } from '../../../../tests/support/shop.ts';
import { readFacts } from '../../../operations/health/facts.ts';

/** A purchase whose refund of 30.00, for three of four pliers, has failed after it succeeded. */
async function startOwing(engine: (typeof engines)[number]) {
  const paid = await startPaidShop(engine, 'pm_card_refundFail');
  const { shop, first } = paid;
  const { insertedId: refund } = await paid.refund(first, { amount: 30, quantity: 3, restock: 3 });
  await paid.finishRefunds();
  await paid.reconcile();
  const client = shop.client(paid.admin);
  return {
    ...paid,
    client,
    refund,
    refundMore: (amount: number, quantity = 0) => paid.refund(first, { amount, quantity, restock: 0 }),
    refundAgain: (body: object = {}) =>
      paid.refund(first, { amount: 30, quantity: 0, restock: 0, replaces: refund, ...body }),
    settle: (outcome: 'repaid' | 'nothing_owed') =>
      client.call('settleRefund', { params: { id: refund }, body: { outcome, note: 'By bank transfer.' } }),
    readOwed: async () => [
      (await paid.read(first)).owed,
      (await readFacts(shop.database)).orderRefunds.owed.map(({ amount }) => amount),
    ],
    /** Lets only the newest refund fail. */
    async failNewest() {
      const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${paid.intent.id}`);
      await shop.stripe.finish(data[0]?.id ?? '');
      await paid.reconcile();
    },
  };
}

/** The shop's id, as in the metadata of its requests. */
async function readShopId({ database: { db } }: TestShop): Promise<string> {
  const setting = db.selectFrom('setting').select('value').where('name', '=', 'shop id');
  return (await setting.executeTakeFirstOrThrow()).value;
}

describe.concurrent.each(engines)('what a failed refund owes, on %s', (engine) => {
  test('is refunded again, but stays owed until the provider has accepted the new refund', async () => {
    await using owing = await startOwing(engine);
    const { shop, first } = owing;
    expect(await owing.readOwed()).toEqual([30, [30]]);
    for (const [body, field] of [
      [{ amount: 20 }, 'amount'],
      [{ quantity: 1 }, 'quantity'],
    ] as const)
      expect(await catchProblem(owing.refundAgain(body))).toMatchObject({ status: 422, errors: [{ field }] });
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    await owing.refundAgain();
    expect(await owing.read(first)).toMatchObject({ refunded: 30, refundPending: 30, owed: 30 });
    expect(await owing.readOwed()).toEqual([30, [30]]);
    const twice = await catchProblem(owing.refundAgain());
    expect(twice).toMatchObject({ status: 409, detail: 'This amount is being refunded again.' });
    expect(await catchProblem(owing.settle('repaid'))).toMatchObject({ status: 409 });

    await owing.reconcile();
    expect(await owing.readOwed()).toEqual([undefined, []]);
    expect(await owing.read(first)).toMatchObject({
      refunded: 30,
      refundedQuantity: 3,
      removedQuantity: 3,
      returnedQuantity: 3,
      refunds: [
        { status: 'failed', outcome: 'refunded' },
        { status: 'succeeded', quantity: 0, replaces: owing.refund },
      ],
    });
    expect(await owing.stock()).toBe(9);
    const { version } = await owing.read(first);
    expect(await catchProblem(owing.refundAgain())).toMatchObject({
      status: 409,
      detail: 'Nothing is owed of this refund any more.',
      data: { version },
    });
    await owing.checkBooks();
  });

  test('is refunded again without removing the pieces that are shipped anyway', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { first } = paid;
    const { insertedId: replaces } = await paid.refund(first, { amount: 40, quantity: 1, stillSend: true });
    await paid.finishRefunds();
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({ refunded: 0, owed: 40, stillSend: true });
    await paid.refund(first, { amount: 40, quantity: 0, replaces });
    expect(await paid.read(first)).toMatchObject({ refunded: 40, removedQuantity: 1, stillSend: true });
    await paid.checkBooks();
  });

  test('is settled as not owed: then the refund no longer says that the pieces are shipped anyway', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { shop, admin, first } = paid;
    const { insertedId: id } = await paid.refund(first, { amount: 40, quantity: 1, stillSend: true });
    await paid.finishRefunds();
    await paid.reconcile();
    const body = { outcome: 'nothing_owed' } as const;
    await shop.client(admin).call('settleRefund', { params: { id }, body });
    const settled = await paid.read(first);
    expect(settled).toMatchObject({ refunded: 0, removedQuantity: 1 });
    expect(settled).not.toHaveProperty('stillSend');
    await paid.checkBooks();
  });

  test('is not owed twice if a second attempt in the dashboard fails, too; the customer gets another message', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { shop, customer, first, second } = paid;
    await paid.refund(first, { amount: 40, quantity: 4, restock: 4 });
    await paid.finishRefunds();
    await paid.reconcile();
    await paid.refundAtProvider({ amount: '4000' });
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({ refunded: 40, owed: 40 });
    await paid.finishRefunds();
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({
      refunded: 0,
      owed: 40,
      refunds: [
        { status: 'failed', owed: 40 },
        { status: 'failed', outcome: 'nothing_owed' },
      ],
    });
    await shop.listen();
    await waitForDelivery(shop);
    const letters = await listLetters(shop, customer.email);
    const failed = letters.filter(({ subject }) => subject?.endsWith('could not be paid'));
    const text = expect.stringContaining('We still owe you USD 40.00');
    expect(failed).toMatchObject([{ text }, { text }]);
    // The shop still reads later refunds.
    await paid.refundAtProvider({ amount: '550' });
    await paid.reconcile();
    expect(await paid.read(second)).toMatchObject({ refunded: 5.5 });
    await paid.checkBooks();
  });

  test('is not announced once an admin has repaid it, even if a second attempt fails, too', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { shop, customer, first } = paid;
    const { insertedId: id } = await paid.refund(first, { amount: 40, quantity: 4 });
    await paid.finishRefunds();
    await paid.reconcile();
    await paid.refundAtProvider({ amount: '4000' });
    await paid.reconcile();
    await paid.finishRefunds();
    await paid.reconcile();
    const body = { outcome: 'repaid' } as const;
    await shop.client(paid.admin).call('settleRefund', { params: { id }, body });
    await shop.listen();
    await waitForDelivery(shop);
    const letters = await listLetters(shop, customer.email);
    expect(letters.filter(({ subject }) => subject?.endsWith('could not be paid'))).toEqual([]);
    await paid.checkBooks();
  });

  test('is not announced once an admin has settled that it is not owed, although the shop owes another refund of the order', async () => {
    await using owing = await startOwing(engine);
    const { shop, first, refund } = owing;
    await owing.refundMore(2);
    await owing.failNewest();
    expect(await owing.readOwed()).toEqual([32, [32]]);
    const { refunds = [] } = await owing.read(first);
    const other = refunds.find(({ _id }) => _id !== refund)?._id ?? '';
    const body = { outcome: 'nothing_owed' } as const;
    await owing.client.call('settleRefund', { params: { id: other }, body });
    await shop.listen();
    await waitForDelivery(shop);
    const letters = await listLetters(shop, owing.customer.email);
    expect(letters.filter(({ subject }) => subject?.endsWith('could not be paid'))).toMatchObject([
      { text: expect.stringContaining('USD 30.00') },
    ]);
  });

  test('is announced for a second attempt only as far as it is still owed', async () => {
    await using owing = await startOwing(engine);
    const { shop } = owing;
    await owing.refundMore(10, 1);
    await owing.failNewest();
    await owing.refundAtProvider({ amount: '4000' });
    await owing.reconcile();
    await owing.failNewest();
    expect(await owing.readOwed()).toEqual([40, [40]]);
    await owing.settle('repaid');
    await shop.listen();
    await waitForDelivery(shop);
    const letters = await listLetters(shop, owing.customer.email);
    const failed = letters.filter(({ subject }) => subject?.endsWith('could not be paid'));
    const texts = failed.map(({ text = '' }) => text.replace(/\s+/g, ' '));
    const announce = (amount: string, rest: string) =>
      expect.stringMatching(
        new RegExp(
          `we had refunded USD ${amount} for your order .* We still owe you ${rest} and will pay it back`,
        ),
      );
    expect(texts.toSorted()).toEqual([
      announce('10.00', 'this amount'),
      announce('40.00', 'USD 10.00 of it'),
    ]);
    await owing.checkBooks();
  });

  test.each([
    { what: 'some', body: { amount: 30, quantity: 3, restock: 3 }, owedOfFirst: [30, 10] },
    { what: 'all', body: { amount: 40, quantity: 4, restock: 4 }, owedOfFirst: [40] },
    {
      what: 'all (with pieces that are shipped anyway)',
      body: { amount: 40, quantity: 1, stillSend: true },
      owedOfFirst: [40],
    },
  ])(
    'is the whole price if $what of an order is owed when a refund of all orders fails',
    async ({ body, owedOfFirst }) => {
      await using paid = await startPaidShop(engine, 'pm_card_refundFail');
      const { first, second } = paid;
      await paid.refund(first, body);
      await paid.finishRefunds();
      await paid.reconcile();
      await paid.refundAtProvider({ amount: '4550' });
      await paid.reconcile();
      expect(await paid.read(first)).toMatchObject({ refunded: 40 });
      await paid.finishRefunds();
      await paid.reconcile();
      expect(await paid.read(first)).toMatchObject({
        refunded: 0,
        owed: 40,
        refunds: owedOfFirst.map((owed) => ({ status: 'failed', owed })),
      });
      expect(await paid.read(second)).toMatchObject({ refunded: 0, owed: 5.5 });
      await paid.checkBooks();
    },
  );

  test('is owed in full if another amount is being refunded again meanwhile', async () => {
    await using paid = await startPaidShop(engine, 'pm_card_refundFail');
    const { shop, first } = paid;
    const { insertedId: replaces } = await paid.refund(first, { amount: 20, quantity: 2 });
    await paid.finishRefunds();
    await paid.reconcile();
    await paid.refund(first, { amount: 20, quantity: 2 });
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 4 });
    await paid.refund(first, { amount: 20, quantity: 0, replaces });
    expect(await paid.read(first)).toMatchObject({ refunded: 40, refundPending: 20, owed: 20 });
    await paid.finishRefunds();
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({ refunded: 20, refundPending: 20, owed: 40 });
    await expect
      .poll(async () => {
        await paid.reconcile();
        return paid.read(first);
      })
      .toMatchObject({ refunded: 20, owed: 20 });
    await paid.checkBooks();
  });

  test('is owed again if its replacement fails, too, or is refused', async () => {
    await using owing = await startOwing(engine);
    await owing.refundAgain();
    await owing.failNewest();
    expect(await owing.readOwed()).toEqual([30, [30]]);
    const { refunds = [] } = await owing.read(owing.first);
    expect(refunds).toMatchObject([
      { status: 'failed', outcome: 'refunded' },
      { status: 'failed', owed: 30 },
    ]);
    await owing.checkBooks();

    // Another refund, in the provider's dashboard, leaves too little for a second replacement.
    await requestStripe(owing.shop, 'POST', '/refunds', {
      payment_intent: owing.intent.id,
      amount: '2000',
    });
    const refused = await catchProblem(owing.refundAgain({ replaces: refunds[1]?._id }));
    expect(refused).toMatchObject({ status: 402, data: { version: expect.any(Number) } });
    expect(await owing.readOwed()).toEqual([30, [30]]);
    await owing.checkBooks();
  });

  test('is not owed again after a restore that has lost its replacement, or both refunds', async () => {
    await using owing = await startOwing(engine);
    const { first, refund } = owing;
    const { insertedId: second } = await owing.refundAgain();
    const { db } = owing.shop.database;
    for (const [lost, counters] of [
      [[second], { owed: 3000 }],
      [[refund, second], { refunded_quantity: 0, removed: 0, returned: 0, owed: 0 }],
    ] as const) {
      await db.deleteFrom('refund').where('id', 'in', lost).execute();
      const open = { settled_at: null, outcome: null };
      await db.updateTable('refund').set(open).where('id', '=', refund).execute();
      await db
        .updateTable('order_line')
        .set({ refunded: 0, ...counters })
        .where('id', '=', first._id)
        .execute();
      await db.updateTable('purchase').set({ refunded: 0 }).execute();
      await owing.reconcile();
      expect(await owing.readOwed()).toEqual([undefined, []]);
      expect(await owing.read(first)).toMatchObject({
        refunded: 30,
        removedQuantity: 3,
        returnedQuantity: 3,
        refunds: [
          { _id: refund, status: 'failed', outcome: 'refunded' },
          { _id: second, status: 'succeeded', replaces: refund },
        ],
      });
    }
  });

  test('is settled by an admin: what was repaid counts as refunded, but not at the provider', async () => {
    await using owing = await startOwing(engine);
    const { version } = await owing.read(owing.first);
    expect(await owing.settle('repaid')).toEqual({ modifiedCount: 1, version: version + 1 });
    expect(await owing.settle('repaid')).toEqual({ modifiedCount: 0, version: version + 1 });
    expect(await catchProblem(owing.settle('nothing_owed'))).toMatchObject({
      status: 409,
      data: { version: version + 1 },
    });
    expect(await owing.readOwed()).toEqual([undefined, []]);
    expect(await owing.read(owing.first)).toMatchObject({
      refunded: 30,
      refunds: [{ status: 'failed', outcome: 'repaid' }],
    });
    expect(await owing.readPurchase()).toMatchObject({ refunded: 30 });
    const log = await owing.client.call('listAudit', { query: { target: owing.first._id } });
    expect(log[0]).toMatchObject({
      action: 'settleRefund',
      details: 'owed: USD 0.00 (was USD 30.00)\noutcome: repaid (was none)',
    });
    // The note is among the order's notes. Audit entries are permanent, so they don't repeat it.
    expect((await owing.read(owing.first)).notes).toMatchObject([{ text: 'By bank transfer.' }]);
    expect(await catchProblem(owing.refundMore(10.01))).toMatchObject({ status: 409 });
    await owing.checkBooks();
  });

  test.each(['again', 'repaid'] as const)(
    'leaves no pieces to ship once all of the money is refunded (%s), or while the last refund is pending',
    async (how) => {
      await using paid = await startPaidShop(engine, 'pm_card_refundFail');
      const { shop, first } = paid;
      const client = shop.client(paid.admin);
      const { insertedId: refund } = await paid.refund(first, { amount: 10 });
      await paid.finishRefunds();
      await paid.refundAtProvider({ amount: '3000' });
      await paid.reconcile();
      const { unassignedRefunds, version } = await client.call('getPurchase', {
        params: { id: first.purchase },
      });
      const lines = [{ order: first._id, amount: 30, quantity: 0, restock: 0 }];
      const params = { id: unassignedRefunds?.[0]?._id ?? '' };
      await client.call('assignRefund', { params, body: { version, lines } });
      expect(await paid.read(first)).toMatchObject({ refunded: 30, owed: 10 });
      if (how === 'repaid')
        await client.call('settleRefund', { params: { id: refund }, body: { outcome: 'repaid' } });
      else {
        shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
        await paid.refund(first, { amount: 10, quantity: 0, replaces: refund });
        const body = { orderStatus: 'sipping' } as const;
        const ship = client.call('shipOrder', { params: { id: first._id }, body });
        expect(await catchProblem(ship)).toMatchObject({
          status: 409,
          type: 'urn:problem:over_shipment',
          data: { left: 0 },
          detail: expect.stringContaining('refunded in full'),
        });
        await paid.reconcile();
      }
      expect(await paid.read(first)).toMatchObject({ refunded: 40, removedQuantity: 4 });
      await paid.checkBooks();
    },
  );

  test('is not settled as repaid if, with an unassigned refund, more than was paid would be refunded', async () => {
    await using owing = await startOwing(engine);
    await owing.refundAtProvider({ amount: '2000' });
    await owing.reconcile();
    expect(await owing.readPurchase()).toMatchObject({ refunded: 20 });
    expect(await catchProblem(owing.settle('repaid'))).toMatchObject({
      status: 409,
      type: 'urn:problem:over_refund',
    });
    expect(await owing.readPurchase()).toMatchObject({ refunded: 20 });
    await owing.settle('nothing_owed');
    await owing.checkBooks();
  });

  test('is settled as not owed: the amount can be refunded like any other', async () => {
    await using owing = await startOwing(engine);
    await owing.settle('nothing_owed');
    expect(await owing.readOwed()).toEqual([undefined, []]);
    expect(await owing.read(owing.first)).toMatchObject({ refunded: 0, removedQuantity: 3 });
    await owing.refundMore(40, 1);
    await owing.checkBooks();
  });

  test('is not settled for an unknown refund, or for a refund of which nothing is owed', async () => {
    await using paid = await startPaidShop(engine);
    const { insertedId } = await paid.refund(paid.first, { amount: 1 });
    const client = paid.shop.client(paid.admin);
    const settle = (id: string) =>
      client.call('settleRefund', { params: { id }, body: { outcome: 'repaid' } });
    expect(await catchProblem(settle('x'))).toMatchObject({ status: 404 });
    expect(await catchProblem(settle(insertedId))).toMatchObject({ status: 409 });
    expect(await catchProblem(paid.refund(paid.second, { amount: 1, replaces: insertedId }))).toMatchObject({
      status: 409,
    });
  });

  test.each([
    { amount: 10, what: 'fits', found: { refunded: 20 } },
    { amount: 30, what: 'is more than the order has left', found: { refunded: 30, unassigned: 30 } },
  ])(
    'is not owed again if an admin has repaid it and its replacement, which $what, is then made after all and fails',
    async ({ amount, found }) => {
      await using paid = await startPaidShop(engine, 'pm_card_refundFail');
      const { shop, admin, first } = paid;
      const { insertedId: id } = await paid.refund(first, { amount, quantity: 1 });
      await paid.finishRefunds();
      await paid.reconcile();
      shop.stripe.fail({ call: 'POST /v1/refunds', how: 400 });
      const again = paid.refund(first, { amount, quantity: 0, replaces: id });
      expect(await catchProblem(again)).toMatchObject({ status: 402 });
      const second = (await paid.read(first)).refunds?.find(({ replaces }) => replaces === id)?._id ?? '';
      const body = { outcome: 'repaid' } as const;
      await shop.client(admin).call('settleRefund', { params: { id }, body });
      await paid.refundAtProvider({
        amount: `${amount * 100}`,
        'metadata[shop]': await readShopId(shop),
        'metadata[refund]': second,
        'metadata[replaces]': id,
        'metadata[order]': `${first._id} ${amount * 100} 0 0`,
      });
      await paid.reconcile();
      expect(await paid.read(first)).toMatchObject(found);
      await paid.finishRefunds();
      await paid.reconcile();
      const order = await paid.read(first);
      expect(order).toMatchObject({ refunded: amount });
      for (const field of ['owed', 'unassigned']) expect(order).not.toHaveProperty(field);
      expect((await readFacts(shop.database)).orderRefunds.owed).toEqual([]);
      // The auditor expects a line for each refund in the audit log. An unassigned refund has none.
      if (!('unassigned' in found)) await paid.checkBooks();
    },
  );

  describe('of a refund that the provider refused and then made,', () => {
    /** A refund of 10.00, for one of four pliers, is refused after the other three were shipped. */
    async function startRefused(card?: string) {
      const paid = await startPaidShop(engine, card);
      const { shop, first } = paid;
      const client = shop.client(paid.admin);
      shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
      const { insertedId: refund } = await paid.refund(first, { amount: 10, quantity: 1, restock: 1 });
      await client.call('shipOrder', { params: { id: first._id }, body: { orderStatus: 'sipping' } });
      shop.stripe.fail({ call: 'POST /v1/refunds', how: 400 });
      await paid.reconcile();
      expect(await paid.read(first)).toMatchObject({
        refunded: 0,
        owed: 10,
        removedQuantity: 1,
        refunds: [{ _id: refund, status: 'failed', owed: 10 }],
      });
      const shopId = await readShopId(shop);
      /** The provider makes the refund, with the metadata of our request. */
      const refundRefused = () =>
        paid.refundAtProvider({
          amount: '1000',
          'metadata[shop]': shopId,
          'metadata[refund]': refund,
          'metadata[order]': `${first._id} 1000 1 1`,
        });
      return {
        ...paid,
        client,
        refused: refund,
        refundRefused,
        async find() {
          await refundRefused();
          await paid.reconcile();
        },
      };
    }

    test('is owed no longer; its piece stays removed', async () => {
      await using paid = await startRefused();
      await paid.find();
      expect(await paid.read(paid.first)).toMatchObject({
        orderStatus: 'sipping',
        refunded: 10,
        refundedQuantity: 1,
        removedQuantity: 1,
        refunds: [{ _id: paid.refused, status: 'succeeded', quantity: 1, requestedBy: paid.admin.email }],
      });
      expect(await paid.read(paid.first)).not.toHaveProperty('owed');
      await paid.checkBooks();
    });

    test.each(['repaid', 'nothing_owed'] as const)('is no longer settled as %s', async (outcome) => {
      await using paid = await startRefused();
      await paid.client.call('settleRefund', { params: { id: paid.refused }, body: { outcome } });
      await paid.find();
      const order = await paid.read(paid.first);
      expect(order).toMatchObject({ refunded: 10, refunds: [{ _id: paid.refused, status: 'succeeded' }] });
      expect(order).not.toHaveProperty('owed');
      expect(order.refunds?.[0]).not.toHaveProperty('outcome');
      await paid.checkBooks();
    });

    test('may have been paid twice if an admin had repaid it: the order’s history and Health say so', async () => {
      await using paid = await startRefused();
      const { shop, client, first, refused, admin } = paid;
      const readTroubles = async () =>
        (await client.call('getHealth', {})).troubles.filter(({ what }) => what.includes('paid twice'));
      await client.call('settleRefund', { params: { id: refused }, body: { outcome: 'repaid' } });
      expect(await readTroubles()).toEqual([]);
      await paid.find();
      await paid.reconcile();
      const [trouble, ...others] = await readTroubles();
      expect(others).toEqual([]);
      expect(trouble).toMatchObject({
        what: expect.stringContaining(`USD 10.00 for order ${first.number}`),
        orders: [first.number],
      });
      const at = expect.any(String);
      const settled = { at, what: 'owed_settled', amount: 10, status: 'repaid' };
      const refunded = { at, what: 'refunded', amount: 10, quantity: 1, status: 'succeeded' };
      expect((await paid.read(first)).history?.slice(-3)).toEqual([
        { ...settled, who: admin.email },
        refunded,
        { at, what: 'paid_twice', amount: 10 },
      ]);
      const own = await shop.client(paid.customer).call('getOrder', { params: { id: first._id } });
      expect(own.history?.at(-1)).toEqual(refunded);
      expect(own.history?.map(({ what }) => what)).not.toContain('owed_settled');

      const { db } = shop.database;
      const weekAgo = Date.now() - 8 * 86_400_000;
      await db.updateTable('refund').set({ updated_at: weekAgo, settled_at: weekAgo }).execute();
      expect(await readTroubles()).toEqual([]);
      await paid.checkBooks();
    });

    test('is not owed again if it fails after it was made, because an admin had repaid it', async () => {
      await using paid = await startRefused('pm_card_refundFail');
      const { shop, client, customer, first, refused, admin } = paid;
      await client.call('settleRefund', { params: { id: refused }, body: { outcome: 'repaid' } });
      await paid.find();
      expect((await readFacts(shop.database)).orderRefunds).toMatchObject({
        owed: [],
        paidTwice: [{ number: first.number, amount: 10 }],
      });
      await paid.finishRefunds();
      await paid.reconcile();
      const order = await paid.read(first);
      expect(order).toMatchObject({
        refunded: 10,
        refundedQuantity: 1,
        refunds: [{ _id: refused, status: 'failed', outcome: 'repaid' }],
      });
      expect(order).not.toHaveProperty('owed');
      expect(order.history?.find(({ what }) => what === 'owed_settled')).toMatchObject({
        status: 'repaid',
        amount: 10,
        who: admin.email,
      });
      expect(await paid.readPurchase()).toMatchObject({ refunded: 10 });
      expect((await readFacts(shop.database)).orderRefunds).toMatchObject({ owed: [], paidTwice: [] });
      const settle = client.call('settleRefund', {
        params: { id: refused },
        body: { outcome: 'nothing_owed' },
      });
      expect(await catchProblem(settle)).toMatchObject({ status: 409 });
      // The message about the parcel would wait for a minute.
      await shop.database.db.updateTable('mail').set({ due_at: 0 }).where('state', '=', 'waiting').execute();
      await shop.listen();
      await waitForDelivery(shop);
      const letters = await listLetters(shop, customer.email);
      expect(letters.filter(({ subject }) => subject?.endsWith('could not be paid'))).toEqual([]);
      await paid.checkBooks();
    });

    test('is owed if it fails after it was made, although an admin had recorded that nothing was owed', async () => {
      await using paid = await startRefused('pm_card_refundFail');
      const { client, first, refused } = paid;
      await client.call('settleRefund', { params: { id: refused }, body: { outcome: 'nothing_owed' } });
      await paid.find();
      await paid.finishRefunds();
      await paid.reconcile();
      // The customer has got a message about the refund, so the shop owes it.
      expect(await paid.read(first)).toMatchObject({ refunded: 0, owed: 10 });
      await paid.checkBooks();
    });

    test('is paid in addition to its pending replacement', async () => {
      await using paid = await startRefused();
      const { shop, first, refused } = paid;
      shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
      await paid.refund(first, { amount: 10, quantity: 0, replaces: refused });
      await paid.find();
      const order = await paid.read(first);
      expect(order).toMatchObject({
        refunded: 20,
        refundedQuantity: 1,
        refunds: [{ status: 'succeeded' }, { status: 'succeeded' }],
      });
      expect(order).not.toHaveProperty('owed');
      await paid.checkBooks();
    });

    test.each(['before', 'after'] as const)(
      'is no longer owed if the shop finds the refund together with its replacement, which was made %s it',
      async (when) => {
        await using paid = await startRefused();
        const { shop, first, refused } = paid;
        if (when === 'after') await paid.refundRefused();
        shop.stripe.fail({ call: 'POST /v1/refunds', how: 'timeout-after-success', times: 2 });
        await paid.refund(first, { amount: 10, quantity: 0, replaces: refused });
        if (when === 'before') await paid.refundRefused();
        await paid.reconcile();
        const order = await paid.read(first);
        expect(order).toMatchObject({
          refunded: 20,
          refundedQuantity: 1,
          refunds: [{ status: 'succeeded' }, { status: 'succeeded' }],
        });
        expect(order).not.toHaveProperty('owed');
        expect(order.refunds?.map(({ outcome }) => outcome)).toEqual([undefined, undefined]);
        await paid.checkBooks();
      },
    );

    test('is not assigned if the order has less left', async () => {
      await using paid = await startRefused();
      const { first } = paid;
      await paid.client.call('settleRefund', {
        params: { id: paid.refused },
        body: { outcome: 'nothing_owed' },
      });
      await paid.refund(first, { amount: 35, quantity: 3 });
      await paid.find();
      expect(await paid.read(first)).toMatchObject({ refunded: 35, unassigned: 10 });
      expect(await paid.readPurchase()).toMatchObject({ refunded: 45 });
    });
  });

  test('is reported to the customer, who was told about the refund', async () => {
    await using owing = await startOwing(engine);
    const list = () =>
      owing.shop.database.db
        .selectFrom('mail')
        .select(['kind', 'about'])
        .where('kind', 'in', ['order refunded', 'refund failed'])
        .execute();
    const sent = [
      { kind: 'order refunded', about: owing.refund },
      { kind: 'refund failed', about: owing.refund },
    ];
    expect(await list()).toEqual(expect.arrayContaining(sent));
    await owing.reconcile();
    expect(await list()).toHaveLength(2);
  });
});
