import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Product } from '../../../contract/catalogue/products.ts';
import { auditSettled } from '../../../tests/support/auditor.ts';
import { engines } from '../../../tests/support/database.ts';
import { expireCharged, loseStock } from '../../../tests/support/late-payment.ts';
import { placePurchase, requestStripe } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { startShop } from '../../../tests/support/shop.ts';
import { refundedEvent, sendEvent, succeededEvent } from '../../../tests/support/stripe-event.ts';

/* Payments that succeeded before their purchase expired, and are found afterwards. */

/** A shop without webhooks, an admin and a customer. */
async function open(engine: (typeof engines)[number]) {
  const shop = await startShop({ engine });
  await shop.stripe.close();
  const [admin, tom] = [await shop.admin(), await shop.signUp()];
  const client = shop.client(admin);
  return {
    shop,
    tom,
    client,
    readStatus: async (id: string) =>
      (await client.call('getPurchase', { params: { id } })).orders.map(({ orderStatus }) => orderStatus),
    readStock: async ({ _id: id }: Product) =>
      (await client.call('getProduct', { params: { id } })).a_quantity,
    readPayments: async () =>
      (await shop.database.db.selectFrom('payment').select('state').orderBy('id').execute()).map(
        ({ state }) => state,
      ),
    settle: (intent: { id: string }, outcome: 'accepted' | 'refunded', version = 2) =>
      client.call('settleLatePayment', { params: { id: intent.id }, body: { version, outcome } }),
    readRefunds: async () =>
      (await requestStripe(shop, 'GET', '/refunds?limit=10')).data.map(({ amount }) => amount),
    async expectBalanced(products: Product[]) {
      const opening = new Map(products.map(({ _id, a_quantity }) => [_id, { stock: a_quantity }]));
      expect(await auditSettled(shop.config.database, opening)).toEqual([]);
    },
    [Symbol.asyncDispose]: shop.close,
  };
}

describe.each(engines)('a late payment on %s', (engine) => {
  test('makes its orders paid if all their stock can be taken, even of an archived product with a higher minimum', async () => {
    await using opened = await open(engine);
    const { shop, tom, client } = opened;
    const [gauge, broach] = [await shop.addProduct(), await shop.addProduct({ price: 3, a_quantity: 2 })];
    const late = await expireCharged(shop, tom, [
      [gauge, 1],
      [broach, 2],
    ]);
    expect([await opened.readStock(gauge), await opened.readStock(broach)]).toEqual([10, 2]);
    const edit = (product: Product, changes: object) =>
      client.call('editProduct', { params: { id: product._id }, body: { version: 1, ...changes } });
    await edit(gauge, { archived: true });
    await edit(broach, { o_quantity: 3, price: 30 });
    const readHome = async () => (await shop.fetch(new Request(`${shop.origin}/`))).text();
    await readHome();
    await sendEvent(shop, succeededEvent(late.intent.id));
    await sendEvent(shop, succeededEvent(late.intent.id));
    const params = { id: late.purchase._id };
    expect(await shop.client(tom).call('getPurchase', { params })).toMatchObject({
      paid: true,
      price: 18.5,
      version: 3,
      orders: [{ orderStatus: 'paid', transactionId: late.intent.id }, { orderStatus: 'paid' }],
    });
    expect([await opened.readStock(gauge), await opened.readStock(broach)]).toEqual([9, 0]);
    expect(await readHome()).toContain('Sold out');
    expect(await late.report()).toMatchObject({ modifiedCount: 0 });
    const history = await client.call('listProductStock', { params: { id: broach._id } });
    expect(history.map(({ reason, change, who }) => [reason, change, who])).toEqual([
      ['late_payment', -2, tom.email],
      ['hold_expired', 2, undefined],
      ['sale', -2, tom.email],
      ['opening', 2, expect.anything()],
    ]);
    await opened.expectBalanced([gauge, broach]);
  });

  test('is shown to an admin if one product is out of stock: nothing is taken, and nothing refunded', async () => {
    await using opened = await open(engine);
    const { shop, tom, client } = opened;
    const [gauge, broach] = [await shop.addProduct(), await shop.addProduct({ a_quantity: 2 })];
    const late = await expireCharged(shop, tom, [
      [gauge, 1],
      [broach, 2],
    ]);
    await placePurchase(shop, await shop.signUp(), [[broach, 1]]);
    const { number, _id } = late.purchase;
    expect(await catchProblem(late.report())).toMatchObject({
      status: 409,
      detail: expect.stringMatching(/^This payment was found after the reservation/),
    });
    await sendEvent(shop, succeededEvent(late.intent.id));
    await shop.doPeriodicWork();
    expect(await opened.readPayments()).toEqual(['undecided']);
    expect(await opened.readRefunds()).toEqual([]);
    expect(await opened.readStatus(_id)).toEqual(['expired', 'expired']);
    expect([await opened.readStock(gauge), await opened.readStock(broach)]).toEqual([10, 1]);
    expect(await client.call('listUnknownPayments', {})).toMatchObject([
      { _id: late.intent.id, price: 37.5, order: _id, number },
    ]);
    const { facts, troubles } = await client.call('getHealth', {});
    expect(facts.payments.late).toEqual([number]);
    expect(troubles).toContainEqual(expect.objectContaining({ orders: [number] }));
    const own = shop.client(tom);
    expect(await own.call('getPurchase', { params: { id: _id } })).toMatchObject({
      latePayment: late.intent.id,
    });
    // The order stays until an admin has decided.
    for (const { _id: id } of late.purchase.orders)
      expect(await catchProblem(own.call('deleteOrder', { params: { id } }))).toMatchObject({ status: 409 });
    const deletion = { params: { email: tom.email }, body: { password: tom.password } };
    expect(await catchProblem(own.call('deleteUser', deletion))).toMatchObject({
      type: 'urn:problem:open_payment',
      data: { number },
    });
    await opened.expectBalanced([gauge, broach]);
  });

  test('is accepted by an admin once there is stock, in the version that they have seen', async () => {
    await using opened = await open(engine);
    const { shop, tom, client, settle } = opened;
    const { purchase, intent, product } = await loseStock(shop, tom);
    expect(await catchProblem(settle(intent, 'accepted', 1))).toMatchObject({
      type: 'urn:problem:purchase_changed',
      data: { version: 2 },
    });
    expect(await catchProblem(settle(intent, 'accepted'))).toMatchObject({
      type: 'urn:problem:out_of_stock',
      detail: expect.stringContaining(product.name),
      data: { version: 2 },
    });
    const delivery = { params: { id: product._id }, body: { change: 3, reason: 'delivery' } } as const;
    await client.call('adjustStock', delivery);
    const results = await Promise.all([settle(intent, 'accepted'), settle(intent, 'accepted')]);
    expect(results.map(({ modifiedCount }) => modifiedCount).toSorted()).toEqual([0, 1]);
    // A repeated call changes nothing, so its version does not matter.
    expect(await settle(intent, 'accepted', 1)).toEqual({ modifiedCount: 0, version: 3 });
    expect(await catchProblem(settle(intent, 'refunded', 3))).toMatchObject({ status: 409 });
    expect(await opened.readStatus(purchase._id)).toEqual(['paid']);
    expect(await opened.readStock(product)).toBe(1);
    expect(await client.call('listUnknownPayments', {})).toEqual([]);
    const [entry] = await client.call('listAudit', { query: { limit: 1 } });
    expect(entry).toMatchObject({ action: 'acceptPayment', number: purchase.number, name: product.name });
    await opened.expectBalanced([product]);
  });

  test('for a deleted product is accepted without the stock of that product', async () => {
    await using opened = await open(engine);
    const { shop, tom, client, settle } = opened;
    const [gauge, broach] = [await shop.addProduct(), await shop.addProduct()];
    const late = await expireCharged(shop, tom, [
      [gauge, 1],
      [broach, 2],
    ]);
    await client.call('deleteProduct', { params: { id: broach._id } });
    await catchProblem(late.report());
    expect(await opened.readPayments()).toEqual(['undecided']);
    expect(await settle(late.intent, 'accepted')).toEqual({ modifiedCount: 1, version: 3 });
    expect(await opened.readStatus(late.purchase._id)).toEqual(['paid', 'paid']);
    expect(await opened.readStock(gauge)).toBe(9);
  });

  test('is refunded by an admin: its order stays expired and can be deleted', async () => {
    await using opened = await open(engine);
    const { shop, tom, settle } = opened;
    const { purchase, order, intent } = await loseStock(shop, tom);
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 500, times: 2 });
    expect(await settle(intent, 'refunded')).toEqual({ modifiedCount: 1, version: 2 });
    expect(await opened.readPayments()).toEqual(['refund_due']);
    expect(await settle(intent, 'refunded')).toEqual({ modifiedCount: 0, version: 2 });
    expect(await catchProblem(settle(intent, 'accepted'))).toMatchObject({ status: 409 });
    // The next run tries again.
    await shop.doPeriodicWork();
    expect(await opened.readPayments()).toEqual(['refunded']);
    expect(await opened.readRefunds()).toEqual([2500]);
    expect(await opened.readStatus(purchase._id)).toEqual(['expired']);
    await shop.client(tom).call('deleteOrder', { params: { id: order._id } });
  });

  test('that an admin refunds at the provider is no longer shown', async () => {
    await using opened = await open(engine);
    const { shop, tom, client } = opened;
    const { intent } = await loseStock(shop, tom);
    const refund = (amount: string) =>
      requestStripe(shop, 'POST', '/refunds', { payment_intent: intent.id, amount });
    await refund('1000');
    await sendEvent(shop, refundedEvent(intent.id));
    expect(await client.call('listUnknownPayments', {})).toHaveLength(1);
    await refund('1500');
    await sendEvent(shop, refundedEvent(intent.id));
    expect(await client.call('listUnknownPayments', {})).toEqual([]);
    expect(await opened.readPayments()).toEqual(['refunded']);
  });

  test('that was refunded in part at the provider is accepted with its refund', async () => {
    await using opened = await open(engine);
    const { shop, tom, client, settle } = opened;
    const { intent, purchase, product } = await loseStock(shop, tom);
    await requestStripe(shop, 'POST', '/refunds', { payment_intent: intent.id, amount: '1000' });
    await client.call('adjustStock', {
      params: { id: product._id },
      body: { change: 2, reason: 'delivery' },
    });
    expect(await settle(intent, 'accepted')).toEqual({ modifiedCount: 1, version: 4 });
    const params = { id: purchase._id };
    expect(await client.call('getPurchase', { params })).toMatchObject({ paid: true, refunded: 10 });
  });

  test('that was refunded in full at the provider cannot be accepted, even if no webhook has reported the refund', async () => {
    await using opened = await open(engine);
    const { shop, tom, client, settle } = opened;
    const { intent, purchase, product } = await loseStock(shop, tom);
    await requestStripe(shop, 'POST', '/refunds', { payment_intent: intent.id });
    await client.call('adjustStock', {
      params: { id: product._id },
      body: { change: 2, reason: 'delivery' },
    });
    expect(await catchProblem(settle(intent, 'accepted'))).toMatchObject({
      status: 409,
      detail: expect.stringContaining('has been refunded'),
    });
    expect(await opened.readPayments()).toEqual(['refunded']);
    expect(await opened.readStatus(purchase._id)).toEqual(['expired']);
    expect(await opened.readStock(product)).toBe(2);
  });

  test('counts as charged back if its dispute was lost before it is accepted', async () => {
    await using opened = await open(engine);
    const { shop, tom, client, settle } = opened;
    const { intent, purchase, product } = await loseStock(shop, tom);
    const lost = { intent: intent.id, purchase_id: purchase._id, status: 'lost', is_open: 0 };
    const rest = { amount: 2500, currency: 'USD', reason: 'general', respond_by: null, decided_at: 1 };
    await shop.database.db
      .insertInto('dispute')
      .values({ id: 'dp_1', ...lost, ...rest, created_at: 1 })
      .execute();
    await client.call('adjustStock', {
      params: { id: product._id },
      body: { change: 2, reason: 'delivery' },
    });
    await settle(intent, 'accepted');
    const params = { id: purchase._id };
    expect(await client.call('getPurchase', { params })).toMatchObject({
      version: 3,
      orders: [{ chargedBack: 25 }],
    });
  });

  test('that was missing here stays undecided if an admin pays the order with it, but the stock is gone', async () => {
    await using opened = await open(engine);
    const { shop, tom, client } = opened;
    const product = await shop.addProduct({ a_quantity: 2 });
    const { intent, purchase } = await expireCharged(shop, tom, [[product, 2]], { isLost: true });
    await placePurchase(shop, await shop.signUp(), [[product, 2]]);
    const unknown = { intent: intent.id, purchase_id: purchase._id, number: purchase.number };
    await shop.database.db
      .insertInto('unknown_payment')
      .values({ ...unknown, amount: 2500, currency: 'USD', outcome: '', seen_at: 1 })
      .execute();
    const paid = client.call('settleUnknownPayment', {
      params: { id: intent.id },
      body: { outcome: 'paid' },
    });
    expect(await catchProblem(paid)).toMatchObject({
      status: 409,
      detail: expect.stringContaining('The order has expired'),
    });
    expect(await opened.readPayments()).toEqual(['undecided']);
    expect(await client.call('listUnknownPayments', {})).toMatchObject([{ _id: intent.id, late: true }]);
  });

  test('is listed with the unknown payments by time, newest first, in pages', async () => {
    await using opened = await open(engine);
    const { shop, client } = opened;
    const rest = { amount: 100, currency: 'USD', purchase_id: '', number: '', outcome: '' } as const;
    await shop.database.db
      .insertInto('unknown_payment')
      .values(['pi_c', 'pi_A', 'pi_b'].map((intent, index) => ({ intent, ...rest, seen_at: index + 1 })))
      .execute();
    const list = async (query: { limit?: number; after?: string }) =>
      (await client.call('listUnknownPayments', { query })).map(({ _id }) => _id);
    expect(await list({})).toEqual(['pi_b', 'pi_A', 'pi_c']);
    expect(await list({ limit: 2 })).toEqual(['pi_b', 'pi_A']);
    expect(await list({ limit: 2, after: 'pi_A' })).toEqual(['pi_c']);
  });

  test('that was charged after the hold had ended is refunded', async () => {
    await using opened = await open(engine);
    const { shop, tom } = opened;
    const product = await shop.addProduct();
    const late = await expireCharged(shop, tom, [[product, 1]]);
    await shop.database.db.updateTable('purchase').set({ hold_until: 1 }).execute();
    expect(await catchProblem(late.report())).toMatchObject({ status: 409 });
    expect(await opened.readPayments()).toEqual(['refunded']);
    expect(await opened.readStatus(late.purchase._id)).toEqual(['expired']);
    await opened.expectBalanced([product]);
  });

  test('that the provider cannot date is settled by the next event', async () => {
    await using opened = await open(engine);
    const { shop, tom } = opened;
    const late = await expireCharged(shop, tom, [[await shop.addProduct(), 1]]);
    shop.stripe.fail({ call: 'GET /v1/charges/:id', how: 500, times: 2 });
    expect(await catchProblem(late.report())).toMatchObject({ status: 503 });
    expect(await opened.readPayments()).toEqual(['cancelled']);
    expect(await late.report()).toMatchObject({ modifiedCount: 1 });
  });

  test('takes the last pieces only once', async () => {
    await using opened = await open(engine);
    const { shop, client } = opened;
    const product = await shop.addProduct({ a_quantity: 3 });
    const people: TestUser[] = [];
    for (let count = 0; count < 4; count++) people.push(await shop.signUp());
    const late = [];
    for (const person of people) late.push(await expireCharged(shop, person, [[product, 2]]));
    await Promise.allSettled(late.map(({ report }) => report()));
    expect((await opened.readPayments()).toSorted()).toEqual(['paid', ...Array(3).fill('undecided')]);
    expect(await opened.readStock(product)).toBe(1);
    await client.call('adjustStock', {
      params: { id: product._id },
      body: { change: 4, reason: 'delivery' },
    });
    const settled = await Promise.allSettled(late.map(({ intent }) => opened.settle(intent, 'accepted')));
    // One had been accepted before, and five pieces are enough for two others.
    expect(settled.map(({ status }) => status).toSorted()).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    expect(await opened.readStock(product)).toBe(1);
  });
});

test('a refund at the provider while an admin accepts a late payment waits, then counts for the paid order', async () => {
  await using opened = await open('postgres');
  const { shop, tom, client, settle } = opened;
  const { db } = shop.database;
  const { intent, purchase, product } = await loseStock(shop, tom);
  await client.call('adjustStock', { params: { id: product._id }, body: { change: 2, reason: 'delivery' } });
  const countWaiting = async () => {
    const waiting = sql`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return (await waiting.execute(db)).rows.length;
  };
  const work: Promise<unknown>[] = [];
  await shop.database.transaction(async (tx) => {
    // Stops the acceptance after it has updated the purchase, before it updates the payment.
    await tx
      .selectFrom('order_line')
      .select('id')
      .where('purchase_id', '=', purchase._id)
      .forUpdate()
      .execute();
    work.push(settle(intent, 'accepted'));
    await expect.poll(countWaiting).toBe(1);
    await requestStripe(shop, 'POST', '/refunds', { payment_intent: intent.id });
    work.push(sendEvent(shop, refundedEvent(intent.id)));
    await expect.poll(countWaiting).toBe(2);
  });
  await Promise.all(work);
  await sendEvent(shop, refundedEvent(intent.id));
  expect(await opened.readPayments()).toEqual(['paid']);
  const params = { id: purchase._id };
  expect(await client.call('getPurchase', { params })).toMatchObject({ paid: true, refunded: 25 });
});
