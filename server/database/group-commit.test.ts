import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { refusal } from '../../tests/support/refusal.ts';
import { startShop } from '../../tests/support/shop.ts';

test('of orders that arrive together each is judged by itself, and what is answered is stored', async () => {
  await using shop = await startShop();
  const product = await shop.addProduct({ a_quantity: 10 });
  const tom = await shop.signUp();
  const order = (pieces: number) =>
    shop.client(tom).call('placeOrder', {
      body: { orderId: product._id, orderQuantity: pieces, price: 12.5 * pieces, user: tom.email },
    });
  const answers = await Promise.allSettled([order(4), order(9), order(3), order(4), order(3), order(1)]);
  expect(answers.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
  ]);
  expect(await shop.client().call('getProduct', { params: { id: product._id } })).toMatchObject({
    a_quantity: 0,
  });
  const stored = await shop.client(tom).call('listOwnOrders', { query: { user: tom.email } });
  const told = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.insertedId] : []));
  expect(stored.map(({ _id }) => _id).toSorted()).toEqual(told.toSorted());
  expect(await refusal(order(1))).toMatchObject({ type: 'urn:problem:out_of_stock' });
});

test('a part that is refused undoes its own writes only', async () => {
  await using shop = await startShop();
  const { db, transaction } = shop.database;
  const write = (name: string, refuse = false) =>
    transaction(async (tx) => {
      await tx.insertInto('setting').values({ name, value: '' }).execute();
      if (refuse) throw new Error(`${name} is refused`);
      return name;
    });
  const answers = await Promise.allSettled([write('test a'), write('test b', true), write('test c')]);
  expect(answers).toMatchObject([
    { value: 'test a' },
    { reason: new Error('test b is refused') },
    { value: 'test c' },
  ]);
  const rows = await db.selectFrom('setting').select('name').where('name', 'like', 'test %').execute();
  expect(rows.map(({ name }) => name)).toEqual(['test a', 'test c']);
});

test('a commit that fails has failed for all that share it, and what comes next goes on', async () => {
  // What the shop does at its start may share it, too, and says so.
  await using shop = await startShop({ logsErrors: true });
  const { db, transaction } = shop.database;
  const write = (name: string) =>
    transaction((tx) => tx.insertInto('setting').values({ name, value: '' }).execute());
  const broken = transaction(async (tx) => {
    // Is found out at the commit only.
    await sql`pragma defer_foreign_keys = on`.execute(tx);
    const now = new Date();
    await tx
      .insertInto('session')
      .values({
        id: 'x',
        token: 'x',
        userId: 'nobody',
        expiresAt: now,
        createdAt: now,
        updatedAt: now,
        ipAddress: null,
        userAgent: null,
      })
      .execute();
  });
  const answers = await Promise.allSettled([write('test a'), broken, write('test b')]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await write('test c');
  const rows = await db.selectFrom('setting').select('name').where('name', 'like', 'test %').execute();
  expect(rows.map(({ name }) => name)).toEqual(['test c']);
});
