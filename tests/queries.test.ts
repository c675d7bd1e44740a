import { CompiledQuery } from 'kysely';
import type { RouteObject } from 'react-router';
import { describe, expect, test } from 'vitest';
import type { Call } from '../contract/call.ts';
import { contract } from '../contract/contract.ts';
import type { CallName } from '../contract/paths.ts';
import { routes } from '../web/routes.tsx';
import { ask, askIdentity, byCookie, byToken } from './support/ask.ts';
import { engines, makeDatabase } from './support/database.ts';
import { prepareEveryCall } from './support/every-call.ts';
import { manyRows, rowKey } from './support/many-rows.ts';
import { confirm, openPayment, placeOrder } from './support/payments.ts';
import type { Person } from './support/people.ts';
import { findSlow } from './support/plans.ts';
import { startShop, type TestShop } from './support/shop.ts';
import { listen, type Statement } from './support/statements.ts';

/**
 * How many statements each costs, without those that begin and end a transaction: for a visitor, for the same
 * visitor again (a kept answer costs nothing), a customer and an admin. Who is refused costs who they are.
 */
type Counts = [visitor: number, again: number, customer: number, admin: number];

const calls: Record<CallName, Counts> = {
  saveUser: [0, 0, 2, 2],
  isAdmin: [0, 0, 1, 1],
  listUsers: [0, 0, 1, 3],
  makeAdmin: [0, 0, 1, 2],
  listProducts: [1, 0, 2, 2],
  getProduct: [1, 0, 2, 2],
  addProduct: [0, 0, 1, 4],
  deleteProduct: [0, 0, 1, 2],
  listReviews: [1, 0, 2, 2],
  addReview: [0, 0, 4, 4],
  listAllOrders: [0, 0, 1, 2],
  listOwnOrders: [0, 0, 2, 2],
  getOrder: [0, 0, 2, 2],
  placeOrder: [0, 0, 5, 5],
  shipOrder: [0, 0, 1, 3],
  markOrderPaid: [0, 0, 9, 9],
  deleteOrder: [0, 0, 7, 7],
  createPaymentIntent: [0, 0, 8, 8],
  listUnknownPayments: [0, 0, 1, 2],
  receiveStripeEvent: [5, 5, 5, 5],
  uploadImage: [0, 0, 3, 3],
};

/** Every page of `web/routes.tsx`. */
const pages: Record<string, Counts> = {
  '/': [2, 0, 4, 4],
  '/blogs': [0, 0, 2, 2],
  '/products': [0, 0, 3, 3],
  '/myPortfolio': [0, 0, 2, 2],
  '/login': [0, 0, 2, 2],
  '/signup': [0, 0, 2, 2],
  '/purchase/:productId': [0, 0, 3, 3],
  '/dashboard': [0, 0, 2, 2],
  '/dashboard/history': [0, 0, 2, 2],
  '/dashboard/myOrder': [0, 0, 3, 3],
  '/dashboard/payment/:id': [0, 0, 3, 3],
  '/dashboard/review': [0, 0, 2, 2],
  '/dashboard/users': [0, 0, 2, 4],
  '/dashboard/allOrders': [0, 0, 2, 4],
  '/dashboard/addProduct': [0, 0, 2, 2],
  '/dashboard/manageProduct': [0, 0, 2, 3],
  '/*': [0, 0, 2, 2],
};

/** What may be read or sorted as a whole: it is never much. */
const small = [
  // The facts about a database, and the steps of its migration.
  / from "(setting|migration)"/,
  // Of one person the unpaid orders of one price, found by the index of their orders.
  /^select \* from "orders" where "email" = .* order by "status" limit/,
];

const callNames = Object.keys(calls).filter((name): name is CallName => name in contract);

test('every call and every page is in these tables', () => {
  expect(callNames.toSorted()).toEqual(Object.keys(contract).toSorted());
  expect(Object.keys(pages).toSorted()).toEqual(pathsOf(routes).toSorted());
});

test('each page and each call asks the database no oftener than it has to', async () => {
  await using shop = await startShop();
  const { people, asks } = await prepare(shop);
  const found: Record<string, number[]> = {};
  for (const [name, one] of asks) {
    found[name] = [];
    // A visitor twice, the second time for what is kept.
    for (const person of [undefined, undefined, people.customer, people.admin])
      found[name].push((await one(person)).length);
  }
  expect(found).toEqual({ ...calls, ...pages });
}, 60_000);

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
      const { people, asks } = await prepare(shop);
      for (const [, one] of asks)
        for (const person of [undefined, people.customer, people.admin]) heard.push(...(await one(person)));
      for (const name of callNames.filter(isList))
        heard.push(...(await askNextPage(shop, name, people.admin)));
      for (const work of [payAndRefund, signInAndOut, () => shop.doPeriodicWork()])
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

/** PostgreSQL's plans mean something only where there is something. */
async function fill({ database: { db, engine }, close }: TestShop): Promise<void> {
  const size = { products: 2000, orders: 4000, reviews: 2000, people: 500 };
  for (const statement of manyRows(engine, size, 'customer@example.com'))
    await db.executeQuery(CompiledQuery.raw(statement));
  if (engine === 'postgres') await db.executeQuery(CompiledQuery.raw('analyze'));
  await close();
}

/** One asking of each page and each call; gives what the database was asked for it. */
async function prepare(shop: TestShop) {
  const people = { customer: await shop.signUp(), admin: await shop.admin() };
  const every = await prepareEveryCall(shop);
  const asks = new Map<string, (person: Person | undefined) => Promise<Statement[]>>();
  for (const name of callNames) {
    const { who }: Call = contract[name];
    asks.set(name, async (person) => {
      const given = await every.calls[name](person ?? people.customer);
      const headers = { ...given.headers, ...(person && who !== 'provider' ? byToken(person) : {}) };
      const { result, of } = await listen(() => ask(shop, name, { ...given, headers }));
      const letIn = who === 'everybody' || who === 'provider' || (person && who !== 'admin');
      const wanted = letIn || person === people.admin;
      expect([name, person?.name, result.status < 300]).toEqual([name, person?.name, wanted]);
      return of(shop.database.db);
    });
  }
  for (const path of Object.keys(pages)) {
    asks.set(path, async (person) => {
      const address = await every.address(path, person ?? people.customer);
      const { result, of } = await listen(() => shop.send(address, {}, person));
      expect(result.status).toBeLessThan(path === '/*' ? 405 : 400);
      return of(shop.database.db);
    });
  }
  return { people, asks };
}

function pathsOf(under: RouteObject[], base = ''): string[] {
  return under.flatMap(({ path = '', index, children }) => {
    const here = path === '' ? base : `${base}/${path}`.replace('//', '/');
    return children && !index ? pathsOf(children, here === '/' ? '' : here) : [here === '' ? '/' : here];
  });
}
