import { CompiledQuery } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Call } from '../contract/call.ts';
import { contract } from '../contract/contract.ts';
import type { CallName } from '../contract/paths.ts';
import { upsertFailures } from '../server/operations/health/queries.ts';
import type { Person } from './support/ask.ts';
import { ask, askIdentity, byCookie, byToken } from './support/ask.ts';
import { openJar } from './support/browser-jar.ts';
import { engines, makeDatabase } from './support/database.ts';
import { callNames, prepareAsks } from './support/every-ask.ts';
import { manyRows, rowKey } from './support/many-rows.ts';
import { confirm, openPayment, placeOrder } from './support/payments.ts';
import { findSlow } from './support/plans.ts';
import { startShop, type TestShop } from './support/shop.ts';
import { listen, type Statement } from './support/statements.ts';

/** What may be read or sorted as a whole: it is never much. */
const small = [
  // The facts about a database, and the steps of its migration.
  / from "(setting|migration)"/,
  // The tables themselves, which Better Auth looks at once, when it is first wanted.
  /sqlite_master|pg_catalog/,
  // The one row of one sign-in with Google, found by its random identifier.
  /from "verification" where "verification"\."identifier" = /,
  // PostgreSQL may read visible reviews by their key and skip the hidden ones: those are few, since an admin hides each by hand.
  / from "review" where "state" = 'visible' /,
  // Of one person the unpaid orders of one price, found by the index of their orders.
  /^select \* from "orders" where "email" = .* order by "status" limit/,
];

describe.each(engines)('on %s', (engine) => {
  test('every statement goes by an index, whatever the tables grow to', async () => {
    const { place, drop } = await makeDatabase(engine);
    // The second start is one with data.
    const options = { engine, place, demo: true, settings: { UNPAID_ORDERS_PER_PERSON: '1000' } };
    await fill(await startShop(options));
    const { result: shop, of } = await listen(() => startShop(options));
    try {
      const { db } = shop.database;
      const heard = [...of(db)];
      const { people, asks } = await prepareAsks(shop);
      for (const [, one] of asks)
        for (const person of [undefined, people.customer, people.admin]) heard.push(...(await one(person)));
      for (const name of callNames.filter(isList))
        heard.push(...(await askNextPage(shop, name, people.admin)));
      for (const work of [
        payAndRefund,
        signInAndOut,
        signInWithGoogle,
        noteErrors,
        () => shop.doPeriodicWork(),
      ])
        heard.push(...(await listen(() => work(shop))).of(db));

      const slow = new Map<string, string[]>();
      for (const statement of heard) {
        if (!/^(select|insert|update|delete|with)\b/i.test(statement.sql)) continue;
        // Lists go by key.
        expect(statement.sql).not.toMatch(/ offset /i);
        const why = await findSlow(shop.database, statement);
        if (why.length > 0 && !small.some((one) => one.test(statement.sql))) slow.set(statement.sql, why);
      }
      expect(Object.fromEntries(slow)).toEqual({});
    } finally {
      await shop.close();
      await drop();
    }
  }, 120_000);
});

function isList(name: CallName): boolean {
  const { query }: Call = contract[name];
  return query !== undefined && 'after' in query.shape;
}

async function askNextPage(shop: TestShop, name: CallName, person: Person): Promise<Statement[]> {
  const query = { user: person.email, after: rowKey(10), limit: '10' };
  const { result, of } = await listen(() => ask(shop, name, { query, headers: byToken(person) }));
  expect([name, result.status]).toEqual([name, 200]);
  return of(shop.database.db);
}

/** What the calls alone do not lead to: every way that a payment and an order can end. */
async function payAndRefund(shop: TestShop): Promise<void> {
  const { db } = shop.database;
  const [tom, product] = [await shop.signUp(), await shop.addProduct({ price: 3 })];
  const open = async () => {
    const order = await placeOrder(shop, tom, product);
    return { order, intent: await openPayment(shop, tom, order) };
  };
  const [cancelled, wrong, late] = [await open(), await open(), await open()];
  await shop.client(tom).call('deleteOrder', { params: { id: cancelled.order._id } });
  await confirm(shop, wrong.intent);
  const setOrder = (id: string, values: { total?: number; hold_until?: number }) =>
    db.updateTable('orders').set(values).where('id', '=', id).execute();
  await setOrder(wrong.order._id, { total: 1 });
  await setOrder(late.order._id, { hold_until: 0 });
  // Refunds the one, and ends the hold of the other.
  await shop.doPeriodicWork();
  // Takes the stock again; the order is not named.
  await shop.client(tom).call('createPaymentIntent', { body: { price: late.order.price } });
  await shop.client(tom).call('deleteOrder', { params: { id: late.order._id } });
  const ids = [cancelled, wrong, late].map(({ order }) => order._id);
  const states = await db.selectFrom('payment').select('state').where('order_id', 'in', ids).execute();
  expect(states.map(({ state }) => state).toSorted()).toEqual([
    'cancelled',
    'cancelled',
    'cancelled',
    'refunded',
  ]);
}

/** As every few seconds, where there were any. */
function noteErrors({ database: { db } }: TestShop): Promise<void> {
  const failed = { times: 2, lastAt: Date.now(), requestId: null };
  return upsertFailures(db, new Map([['it failed', failed]]));
}

/** Better Auth's own statements, too. */
async function signInAndOut(shop: TestShop): Promise<void> {
  const { email, password } = await shop.signUp();
  const [person, other] = [await shop.signIn(email, password), await shop.signIn(email, password)];
  const asks: [path: string, body?: object][] = [
    ['/get-session'],
    ['/list-sessions'],
    ['/revoke-session', { token: other.token.split('.')[0] }],
    ['/revoke-other-sessions', {}],
    ['/change-password', { currentPassword: password, newPassword: `${password}-2` }],
  ];
  for (const [path, body] of asks)
    expect([path, (await askIdentity(shop, path, body, byCookie(person))).status]).toEqual([path, 200]);
  const again = await shop.signIn(email, `${password}-2`);

  expect((await askIdentity(shop, '/sign-out', {}, byCookie(again))).status).toBe(200);
  expect((await askIdentity(shop, '/sign-in/email', { email, password: 'wrong-one' })).status).toBe(401);
}

/** Over the network, where Google's pages are. */
async function signInWithGoogle(shop: TestShop): Promise<void> {
  await shop.listen();
  const jar = openJar();
  for (const _ of ['new', 'known']) {
    const asked = await jar.visit(`${shop.origin}/api/auth/sign-in/social`, {
      method: 'POST',
      headers: { origin: shop.origin, 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'google', callbackURL: '/blogs' }),
    });
    const { url }: { url: string } = await asked.json();
    const page = await jar.follow(url);
    const body = new URLSearchParams({ email: 'ines@mail.example', verified: 'on' });
    const end = await jar.follow(page.url, { method: 'POST', body });
    expect(end.url).toBe(`${shop.origin}/blogs`);
  }
}

/** PostgreSQL's plans mean something only where there is something. */
async function fill({ database: { db, engine }, close }: TestShop): Promise<void> {
  const size = { products: 2000, orders: 4000, reviews: 2000, people: 500 };
  for (const statement of manyRows(engine, size, 'customer@example.com'))
    await db.executeQuery(CompiledQuery.raw(statement));
  if (engine === 'postgres') await db.executeQuery(CompiledQuery.raw('analyze'));
  await close();
}
