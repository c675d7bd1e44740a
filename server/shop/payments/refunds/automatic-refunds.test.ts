import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { engines } from '../../../../tests/support/database.ts';
import { waitForLetter } from '../../../../tests/support/letters.ts';
import { buy, confirmIntent, requestStripe } from '../../../../tests/support/payments.ts';
import { cookieHeaders, sendCall, type TestUser } from '../../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../../tests/support/shop.ts';
import { lockPurchase } from '../../orders/queries.ts';

/** Pays an order twice: the second time with an intent that should have been cancelled. */
async function payTwice(shop: TestShop, card: string) {
  const tom = await shop.signUp();
  const { order } = await buy(shop, tom, await shop.addProduct());
  const intent = await requestStripe(shop, 'POST', '/payment_intents', { amount: '1250', currency: 'usd' });
  const row = { purchase_id: order.purchase, attempt: 9, amount: 1250, currency: 'USD', created_at: 1 };
  await shop.database.db
    .insertInto('payment')
    .values({ ...row, id: 'second', intent: intent.id, state: 'open' })
    .execute();
  await confirmIntent(shop, intent, card);
  await shop.doPeriodicWork();
  const params = { id: order.purchase };
  const ada = await shop.admin();
  const client = shop.client(ada);
  return {
    ada,
    tom,
    readPage: async (person: TestUser) =>
      (await shop.send(`/dashboard/orders/${order.number}`, {}, person)).text(),
    intent,
    readOwn: () => shop.client(tom).call('getPurchase', { params }),
    read: () => client.call('getPurchase', { params }),
  };
}

test.each(engines)(
  'on %s, the refund of a second payment is shown at its order, and the customer gets a message about it and about a later failure',
  async (engine) => {
    // Health shows the failure: an error in the log would count it twice.
    await using shop = await startShop({ engine });
    const { ada, tom, intent, readOwn, read, readPage } = await payTwice(shop, 'pm_card_refundFail');
    const automatic = { amount: 12.5, currency: 'USD', transactionId: intent.id };
    await expect
      .poll(readOwn)
      .toMatchObject({ paid: true, refunded: 0, automaticRefunds: [{ ...automatic, status: 'succeeded' }] });
    const listMail = () =>
      shop.database.db
        .selectFrom('mail')
        .select(['kind', 'about'])
        .where('kind', 'in', ['order refunded', 'refund failed'])
        .orderBy('id')
        .execute();
    const about = (await read()).automaticRefunds?.[0]?._id;
    expect(await listMail()).toEqual([{ kind: 'order refunded', about }]);

    const headers = cookieHeaders(tom);
    const exported = await sendCall(shop, 'exportUser', { params: { email: tom.email }, headers });
    expect(await exported.json()).toMatchObject({
      orders: [{ automaticRefunds: [{ ...automatic, status: 'succeeded' }] }],
    });

    for (const person of [tom, ada])
      expect(await readPage(person)).toMatch(
        /A second payment of [^<]*12\.50 was refunded automatically on /,
      );

    const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${intent.id}`);
    await shop.stripe.finish(data[0]?.id ?? '');
    await expect
      .poll(read)
      .toMatchObject({ automaticRefunds: [{ ...automatic, status: 'failed', failure: expect.any(String) }] });
    const [own] = (await readOwn()).automaticRefunds ?? [];
    expect(own).toMatchObject({ status: 'failed' });
    expect(own).not.toHaveProperty('failure');
    expect(await readPage(tom)).toContain('We’ll pay it back another way.');
    expect(await readPage(ada)).toContain('was to be refunded automatically, but the refund failed on');
    expect(await listMail()).toEqual(
      expect.arrayContaining([
        { kind: 'order refunded', about },
        { kind: 'refund failed', about },
      ]),
    );
  },
);

test('the message about the refund of a second payment says that the order was paid already', async () => {
  await using shop = await startShop();
  await shop.listen();
  const { tom } = await payTwice(shop, 'pm_card_visa');
  const { text } = await waitForLetter(shop, tom.email, /^Refund of a payment/);
  expect(text?.replaceAll(/\s+/g, ' ')).toMatch(
    /a second payment of USD 12\.50 for .* which is already paid, so we’ve refunded it/,
  );
});

test('on PostgreSQL, the status of a refund is recorded, with its message, only under the lock of the purchase', async () => {
  await using shop = await startShop({ engine: 'postgres', allowErrorLogs: true });
  const { intent, read } = await payTwice(shop, 'pm_card_refundFail');
  await expect.poll(read).toMatchObject({ automaticRefunds: [{ status: 'succeeded' }] });
  const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${intent.id}`);
  const { database } = shop;
  const waiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  let work: Promise<unknown> | undefined;
  await database.transaction(async (tx) => {
    await lockPurchase(tx, database.engine, (await read())._id);
    work = shop.stripe.finish(data[0]?.id ?? '');
    await expect.poll(async () => (await waiting.execute(database.db)).rows).not.toEqual([]);
  });
  await work;
  await expect.poll(read).toMatchObject({ automaticRefunds: [{ status: 'failed' }] });
});
