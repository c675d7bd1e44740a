import { expect, test } from 'vitest';
import { auditMoney, readBooks, withDatabases } from '../../../../tests/support/auditor.ts';
import { engines } from '../../../../tests/support/database.ts';
import {
  buy,
  confirmIntent,
  openPurchasePayment,
  placePurchase,
  refundOrder,
  requestStripe,
  shipOrder,
  shipParcel,
} from '../../../../tests/support/payments.ts';
import { catchProblem } from '../../../../tests/support/problem.ts';
import { startShop, type TestShop } from '../../../../tests/support/shop.ts';
import { interruptAfter } from '../../../../tests/support/statements.ts';
import { formatTime } from '../../../config/time-zone.ts';

/** A paid order whose payment the customer then disputes. */
async function openDispute(shop: TestShop) {
  const [admin, customer] = [shop.client(await shop.admin()), await shop.signUp()];
  const { order, intent } = await buy(shop, customer, await shop.addProduct(), 2, 'pm_card_createDispute');
  const { data } = await requestStripe(shop, 'GET', `/disputes?payment_intent=${intent.id}`);
  return {
    admin,
    order,
    intent,
    customer,
    disputeId: data[0]?.id ?? '',
    read: () => admin.call('getOrder', { params: { id: order._id } }),
    troubles: async () =>
      (await admin.call('getHealth', {})).troubles.map(({ what, advice }) => `${what} ${advice}`),
  };
}

test('a dispute marks its order and is a problem on Health, with the deadline, until it is decided', async () => {
  await using shop = await startShop();
  const disputed = await openDispute(shop);
  await expect.poll(disputed.read).toMatchObject({ disputed: true, orderStatus: 'paid' });
  const { disputes, number } = await disputed.read();
  expect(disputes).toMatchObject([
    { amount: 25, status: 'needs_response', isOpen: true, reason: 'fraudulent' },
  ]);
  const respondBy = formatTime(Date.parse(disputes?.[0]?.respondBy ?? ''), 'UTC');
  expect(await disputed.troubles()).toEqual([
    expect.stringMatching(new RegExp(`disputed the payment of USD 25.00 for ${number}.*by ${respondBy}`)),
  ]);
  const own = await shop.client(disputed.customer).call('getOrder', { params: { id: disputed.order._id } });
  expect(own.disputed).toBe(true);
  expect(own).not.toHaveProperty('disputes');

  const listPrinted = async () =>
    (await disputed.admin.call('getPrintout', { query: { orders: number } })).purchases[0]?.lines;
  expect(await listPrinted()).toMatchObject([{ toPack: 2, isDisputed: true }]);

  const { version } = await disputed.read();
  await requestStripe(shop, 'POST', `/disputes/${disputed.disputeId}`, {
    'evidence[uncategorized_text]': 'winning_evidence',
  });
  await expect.poll(disputed.read).toMatchObject({ disputed: false, disputes: [{ status: 'won' }], version });
  expect(await disputed.troubles()).toEqual([]);
  expect((await listPrinted())?.[0]).not.toHaveProperty('isDisputed');
  expect(auditMoney(await readBooks(shop.config.database))).toEqual([]);
});

test('the periodic work finds a dispute and its decision if the webhooks are lost', async () => {
  await using shop = await startShop();
  await shop.stripe.close();
  const disputed = await openDispute(shop);
  const { version } = await disputed.read();
  expect(await disputed.read()).toMatchObject({ disputed: false });
  await shop.doPeriodicWork();
  expect(await disputed.read()).toMatchObject({ disputed: true, version: version + 1 });
  await requestStripe(shop, 'POST', `/disputes/${disputed.disputeId}/close`);
  await shop.doPeriodicWork();
  // A dispute counts as a change when it opens and when it is lost, however often it is read.
  await shop.doPeriodicWork();
  expect(await disputed.read()).toMatchObject({
    disputed: false,
    disputes: [{ status: 'lost' }],
    version: version + 2,
  });
});

test.each(engines)(
  'a decision that another process has just recorded keeps its time, on %s',
  async (engine) => {
    await using shop = await startShop({ engine });
    await shop.stripe.close();
    const { db } = shop.database;
    const disputed = await openDispute(shop);
    await shop.doPeriodicWork();
    await requestStripe(shop, 'POST', `/disputes/${disputed.disputeId}/close`);
    const lost = { status: 'lost', is_open: 0, decided_at: 1 };
    interruptAfter(db, /^select \* from "dispute" where "id" = /, () =>
      db.updateTable('dispute').set(lost).execute(),
    );
    await shop.doPeriodicWork();
    expect(await db.selectFrom('dispute').selectAll().execute()).toMatchObject([lost]);
  },
);

test('an order whose dispute was lost is shipped only with an admin’s confirmation', async () => {
  await using shop = await startShop();
  await shop.stripe.close();
  const disputed = await openDispute(shop);
  const params = { id: disputed.order._id };
  const ship = (body: object = {}) =>
    shipOrder(disputed.admin, { params, body: { orderStatus: 'sipping', ...body } });
  await shop.doPeriodicWork();
  const listToShip = async () =>
    (await disputed.admin.call('listAllOrders', { query: { status: 'paid' } })).map(({ _id }) => _id);
  expect(await listToShip()).toEqual([disputed.order._id]);
  await requestStripe(shop, 'POST', `/disputes/${disputed.disputeId}/close`);
  await shop.doPeriodicWork();
  expect(await disputed.read()).toMatchObject({ disputed: false, chargedBack: 25, orderStatus: 'paid' });
  expect(await listToShip()).toEqual([]);
  expect((await disputed.admin.call('getOverview', {})).toShip.parcels).toBe(0);
  const { purchases } = await disputed.admin.call('getPrintout', { query: { orders: disputed.order._id } });
  expect(purchases[0]?.lines).toMatchObject([{ toPack: 0, isChargedBack: true }]);
  for (const shipAgain of [
    ship,
    () => disputed.admin.call('shipOrder', { params, body: { orderStatus: 'sipping' } }),
  ])
    expect(await catchProblem(shipAgain())).toMatchObject({
      status: 409,
      type: 'urn:problem:conflict',
      errors: [{ field: 'anyway' }],
    });
  const parcel = { lines: [{ order: disputed.order._id, quantity: 1 }] };
  expect(await catchProblem(shipParcel(disputed.admin, parcel))).toMatchObject({ status: 409 });
  expect(await disputed.read()).toMatchObject({ orderStatus: 'paid' });
  await shipParcel(disputed.admin, { ...parcel, anyway: true });
  await ship({ anyway: true });
  expect(await disputed.read()).toMatchObject({ orderStatus: 'sipping', shippedQuantity: 2 });
  const log = await disputed.admin.call('listAudit', { query: { target: disputed.order._id } });
  expect(log[0]).toMatchObject({ action: 'shipOrder', details: expect.stringContaining('anyway: yes') });
});

test('a lost dispute that is won after all no longer holds the order back; a partial dispute counts its amount', async () => {
  await using shop = await startShop();
  await shop.stripe.close();
  const disputed = await openDispute(shop);
  await requestStripe(shop, 'POST', `/disputes/${disputed.disputeId}/close`);
  const change = (changes: object) =>
    withDatabases(shop.config.database, async ({ provider }) => {
      const row = await provider
        .selectFrom('stripe_object')
        .select('body')
        .where('id', '=', disputed.disputeId)
        .executeTakeFirstOrThrow();
      const body = JSON.stringify({ ...JSON.parse(row.body), ...changes });
      await provider
        .updateTable('stripe_object')
        .set({ body })
        .where('id', '=', disputed.disputeId)
        .execute();
    });
  await change({ amount: 1000 });
  await shop.doPeriodicWork();
  const lost = await disputed.read();
  expect(lost).toMatchObject({ chargedBack: 10 });
  await change({ status: 'won' });
  await shop.doPeriodicWork();
  const won = await disputed.read();
  expect(won).toMatchObject({ version: lost.version + 1 });
  expect(won).not.toHaveProperty('chargedBack');
  await shipOrder(disputed.admin, { params: { id: disputed.order._id }, body: { orderStatus: 'sipping' } });
});

test('a dispute that was lost before the shop learned of the payment holds the order back', async () => {
  await using shop = await startShop();
  await shop.stripe.close();
  const [admin, customer] = [shop.client(await shop.admin()), await shop.signUp()];
  const purchase = await placePurchase(shop, customer, [[await shop.addProduct(), 2]]);
  const intent = await openPurchasePayment(shop, customer, purchase);
  await confirmIntent(shop, intent);
  const lost = { intent: intent.id, purchase_id: purchase._id, status: 'lost', is_open: 0 };
  const rest = { amount: 2500, currency: 'USD', reason: 'general', respond_by: null, decided_at: 1 };
  await shop.database.db
    .insertInto('dispute')
    .values({ id: 'dp_1', ...lost, ...rest, created_at: 1 })
    .execute();
  await shop.doPeriodicWork();
  const params = { id: purchase._id };
  expect(await admin.call('getPurchase', { params })).toMatchObject({
    paid: true,
    orders: [{ chargedBack: 25 }],
  });
  expect((await admin.call('getOverview', {})).toShip.parcels).toBe(0);
});

test('a dispute that the provider does not know does not stop the periodic work from reading other disputes', async () => {
  await using shop = await startShop();
  await shop.stripe.close();
  await openDispute(shop);
  await shop.doPeriodicWork();
  const { db } = shop.database;
  const known = await db.selectFrom('dispute').selectAll().executeTakeFirstOrThrow();
  const unknown = ['du_unknown_1', 'du_unknown_2'];
  await db
    .insertInto('dispute')
    .values(unknown.map((id) => ({ ...known, id })))
    .execute();
  await shop.doPeriodicWork();
  for (const id of unknown)
    expect(shop.logged).toContainEqual(
      expect.objectContaining({ id, msg: expect.stringContaining('reconciliation failed') }),
    );
});

test('a disputed order cannot be refunded: the provider refuses', async () => {
  await using shop = await startShop({ allowErrorLogs: true });
  const disputed = await openDispute(shop);
  const refund = refundOrder(disputed.admin, {
    params: { id: disputed.order._id },
    body: { reason: 'fraudulent' },
  });
  await expect(refund).rejects.toThrow(/charged back/);
  expect(await disputed.read()).toMatchObject({ refunded: 0, refunds: [{ status: 'failed' }] });
});
