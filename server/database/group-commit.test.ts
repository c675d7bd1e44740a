import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { catchProblem } from '../../tests/support/problem.ts';
import { startShop } from '../../tests/support/shop.ts';
import { recordStatements } from '../../tests/support/statements.ts';

test('orders that arrive together succeed or fail independently, and exactly the successful ones are stored', async () => {
  await using shop = await startShop();
  const product = await shop.addProduct({ a_quantity: 10 });
  const tom = await shop.signUp();
  const order = (pieces: number) =>
    shop.client(tom).call('placeOrder', {
      body: { orderId: product._id, orderQuantity: pieces, price: 12.5 * pieces, user: tom.email },
    });
  const results = await Promise.allSettled([order(4), order(9), order(3), order(4), order(3), order(1)]);
  expect(results.map(({ status }) => status)).toEqual([
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
  const insertedIds = results.flatMap((answer) =>
    answer.status === 'fulfilled' ? [answer.value.insertedId] : [],
  );
  expect(stored.map(({ _id }) => _id).toSorted()).toEqual(insertedIds.toSorted());
  expect(await catchProblem(order(1))).toMatchObject({ type: 'urn:problem:out_of_stock' });
});

test('a transaction runs in the context of its caller', async () => {
  await using shop = await startShop();
  const { db, transaction } = shop.database;
  const write = (name: string) =>
    recordStatements(() =>
      transaction((tx) => tx.insertInto('setting').values({ name, value: '' }).execute()),
    );
  const recorded = await Promise.all(['test a', 'test b'].map(write));
  const names = recorded.map(({ statementsOf }) => statementsOf(db).map(({ parameters: [name] }) => name));
  expect(names).toEqual([['test a'], ['test b']]);
});

test('a failed transaction rolls back only its own writes', async () => {
  await using shop = await startShop();
  const { db, transaction } = shop.database;
  const write = (name: string, fails = false) =>
    transaction(async (tx) => {
      await tx.insertInto('setting').values({ name, value: '' }).execute();
      if (fails) throw new Error(`${name} failed`);
      return name;
    });
  const results = await Promise.allSettled([write('test a'), write('test b', true), write('test c')]);
  expect(results).toMatchObject([
    { value: 'test a' },
    { reason: new Error('test b failed') },
    { value: 'test c' },
  ]);
  const rows = await db.selectFrom('setting').select('name').where('name', 'like', 'test %').execute();
  expect(rows.map(({ name }) => name)).toEqual(['test a', 'test c']);
});

test('a failed commit fails all transactions that share it, and the next transaction succeeds', async () => {
  // The shop's own work at its start may share the commit and log the failure.
  await using shop = await startShop({ allowErrorLogs: true });
  const { db, transaction } = shop.database;
  const write = (name: string) =>
    transaction((tx) => tx.insertInto('setting').values({ name, value: '' }).execute());
  const broken = transaction(async (tx) => {
    // The violation is detected only at the commit.
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
  const results = await Promise.allSettled([write('test a'), broken, write('test b')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await write('test c');
  const rows = await db.selectFrom('setting').select('name').where('name', 'like', 'test %').execute();
  expect(rows.map(({ name }) => name)).toEqual(['test c']);
});

test('transactions that take long do not share one commit, so that the event loop runs in between', async () => {
  await using shop = await startShop();
  let iterations = 0;
  let isDone = false;
  const countIterations = () => {
    iterations += 1;
    if (!isDone) setImmediate(countIterations);
  };
  setImmediate(countIterations);
  const work = async () => {
    const endsAt = performance.now() + 10;
    while (performance.now() < endsAt);
  };
  await Promise.all(Array.from({ length: 30 }, () => shop.database.transaction(work)));
  isDone = true;
  // 300 ms are at least five groups, with ten iterations between two of them.
  expect(iterations).toBeGreaterThanOrEqual(40);
});
