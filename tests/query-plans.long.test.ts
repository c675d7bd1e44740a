import { CompiledQuery } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Call } from '../contract/call.ts';
import { productSorts } from '../contract/catalogue/product-sorts.ts';
import { reviewSorts } from '../contract/catalogue/reviews.ts';
import { contract } from '../contract/contract.ts';
import type { CallName } from '../contract/paths.ts';
import { upsertFailures } from '../server/operations/health/notes.ts';
import { createCookieClient } from './support/browser-jar.ts';
import { buildBulkInserts, rowKey } from './support/bulk-rows.ts';
import { callNames, prepareRequests } from './support/call-requests.ts';
import { allOffers } from './support/call-samples.ts';
import { engines, makeDatabase } from './support/database.ts';
import { changeOrders } from './support/order-rows.ts';
import {
  buy,
  confirmIntent,
  openPayment,
  placeOrder,
  refundOrder,
  requestStripe,
} from './support/payments.ts';
import { findScansAndSorts } from './support/query-plans.ts';
import type { TestUser } from './support/requests.ts';
import { cookieHeaders, sendAuthRequest, sendCall, tokenHeaders } from './support/requests.ts';
import { startShop, type TestShop } from './support/shop.ts';
import { recordStatements, type Statement } from './support/statements.ts';

/** Statements that may scan or sort, because the number of rows involved stays small. */
const allowedScans = [
  // The settings of the database and its applied migrations.
  / from "(setting|migration)"/,
  // The newest imported files, 500 at most.
  /^delete from "imported_file" /,
  // The database's schema, which Better Auth reads on first use.
  /sqlite_master|pg_catalog/,
  // The row of one sign-in with Google, found by its random identifier.
  /from "verification" where "verification"\."identifier" = /,
  // PostgreSQL may read all reviews by key and skip the hidden ones: they are few, since an admin hides each by hand.
  / where "review"\."state" = '(visible|pending)' (and "review"\."id" < \S+ )?order by "review"\."id" desc/,
  // If few entries follow the last one shown, PostgreSQL may read them by key and filter, instead of using the index of the person or
  // the object.
  /^select "audit"\.\*, .* where (coalesce\(actor_id, actor\)|"target") = \$1 and "audit"\."id" < \$2 order by "audit"\."id" desc limit /,
  // The products that one customer has bought, found by the index of the customer's orders. The plan lists the subquery as a scan, too.
  /^select "product_id" as "_id", \(select "name" from "product" where .*\) as "name" from \(select distinct "product_id" from "order_line"/,
  // One user's unpaid purchases with one price, found by the index of the user's purchases.
  /^select "id", "status" from "purchase" where "user_id" = .* order by "status" limit/,
  // Stops at the first row of a partial index.
  /^select "id" from "payment" where "state" = 'paid' limit /,
  // At most 2,000 products, found by an index.
  /select \* from \(select \* from product where id in \(select .* limit \S+\) limit \S+\) as product/s,
  // The further images of a product, seven at most, found by their key.
  / from further_image where product_id = product\.id\) as "further_images"(, \(select email from .*\) as "email")? from "product" where "id" (=|in|>) /,
  // A product with its further images and the pieces of its open orders, which are found by two partial indexes.
  / as "further_images", .* as "email", cast\(\(\s+select coalesce\(sum\(quantity\).* as "ordered" from "product" where "id" = /s,
  // One step along an index for each category, for each ordered product of a batch, or for each product that users wait for.
  /with recursive step \((category_key|id, number|product_id)\)/,
  // Up to a thousand products that run low, found by a partial index. The plan lists its subqueries as scans, too.
  /^select low\.\*,/,
  // Up to a thousand orders to ship, found by a partial index, and their purchases, found by key.
  /^select distinct purchase_id from \(\s+select purchase_id from order_line where .* limit 1000/s,
  /^select "number", "send_by", "arrives_to" from "purchase" where "id" /,
  // Up to a thousand reported reviews, by key. The plan lists the subquery that is counted as a scan, too.
  /^select\s+\(select count\(\*\) from \(select distinct review_id from review_report limit 1000\)/,
  // The best sellers. Totals are found by an index. Orders and days that the totals lack, or the days of a short period, are added.
  /^with missing as \(/,
  // Groups the orders of a batch, of an hour, or of the last minutes, and the totals and refunds of the days of a period.
  /^insert into (sales_by_day|product_sales_by_(day|period)|recent_product_sales) /,
  /^select currency, cast\(sum\((order_line\.)?total\) as bigint\) as revenue, (0|count\(.*\)) as orders\s+from\s+purchase\b/,
  // The charges of a purchase's refunds, found by the key of `refund_charge`. PostgreSQL reads the table whole while it is empty.
  /left join "refund_charge" on .* where "refund"\."(payment|purchase)_id" = \$1/,
  /^select 'sales' as kind, day, /,
  // The newest purchases, payments, refund and action, each read from the end of an index.
  /^select\s+\(select cast\(sum\(created_at\) as bigint\) from \(\s+select created_at from purchase order by id desc limit 20/,
  // The ids of the newest orders, read from the end of an index. The plan lists the subquery as a scan, too.
  /^select id, total from \(select id, total from \(\s+select order_line\.id, 0 as total from order_line\s+order by order_line\.id desc limit /,
  // Stops at the first product.
  /^update "setting" set .* not exists \(select "id" from "product"\)\)$/,
  // The few disputes of one purchase.
  /^select \* from "dispute" where "purchase_id" = .* order by "created_at"$/,
  // Links and sign-ins of the last hour, and trusted devices, when an account is deleted.
  /^delete from "verification" where "value" in /,
  // The ids of the newest messages, read from the end of an index. The plan lists the subquery as a scan, too.
  /^select min\("id"\) as "first" from \(select "id" from "contact_message" where "answered_at" is not null and "id" > /,
  // Counts up to 10,000 messages by a partial index. The plan lists the subquery as a scan, too.
  /^select count\(\*\) as "count" from \(select "id" from "contact_message" where "answered_at" is null and "id" > /,
  // Reads a range of the primary key, and deletes nearly all of its rows.
  /^delete from "(mail|contact_message)" where "id" in \(select "id" from "\w+" where "id" < /,
  // The purchases of one customer are a parameter.
  /^(update|delete from) "(purchase|order_note)" .*where "(purchase_)?id" in \(select value from json_each\(\?\)\)/,
  // The table has no rowids, so SQLite stores it in the order of its primary key, and reads it in that order up to the limit.
  /^select \* from "stock_change" order by "id" desc limit \?$/,
  // The words of a search with one letter left out are parameters, which are looked up by key.
  /^select (\?|\$\d+) as typed, word from \(/,
  // The reports of the reviews on a page, found by their key. An admin's decision deletes them, so they stay few.
  /^select "review_id", "reason" from \(select .* from "review_report" where "review_id" in \(.*\)\) as "report"/,
  // The products that a search reads, at most 2,000, and the counts of its words, which stop at a limit.
  /^with candidate as materialized \(/,
  /^select cast\(\S+ as bigint\) as at, .* as entries/s,
  // The first products in the order of an index, with their further images, seven at most.
  /^select \*, \(.*\) as further_images, \(.*\) as email from \(select \*.* from product /s,
  // At most 20 products before and after a product, and the products bought together with it in a limited number of orders.
  /^select id from \(\s*select id from product where category_key = .* as later/s,
  /^select other\.product_id\s+from \(/,
  // Rows that are parameters.
  /^update product set\s+version = .*from\s+\(values\b/s,
  /^with line \(product_id, quantity\) as \(values /,
  // Stops at the limit. In any shop that sells, sales are among the newest changes.
  /^select \* from "stock_change" where "reason" = (\?|\$1) (and "id" < (\?|\$2) )?order by "id" desc limit /,
];

describe.each(engines)('on %s', (engine) => {
  test('every statement uses an index, so it stays fast as the tables grow', async () => {
    const { place, drop } = await makeDatabase(engine);
    // The second start runs with data.
    const options = {
      engine,
      place,
      demo: true,
      settings: {
        ...allOffers,
        UNPAID_ORDERS_PER_PERSON: '1000',
        ORDERS_PER_MINUTE: '1000',
        UNCONFIRMED_STOCK_PERCENT: '99',
      },
      rateLimits: { intentsPerUser: 1000 },
      allowErrorLogs: true,
    };
    await fillDatabase(await startShop(options));
    const { result: shop, statementsOf } = await recordStatements(() => startShop(options));
    try {
      const { db } = shop.database;
      const statements = [...statementsOf(db)];
      const { users, requests } = await prepareRequests(shop);
      for (const [, request] of requests)
        for (const person of [undefined, users.customer, users.admin])
          statements.push(...(await request(person)));
      for (const name of callNames.filter(isList))
        statements.push(...(await requestNextPage(shop, name, users.admin)));
      for (const work of [
        payAndRefund,
        refundAndDispute,
        signInAndOut,
        signInWithGoogle,
        recordFailures,
        searchAndFilter,
        exportAndDeleteAccounts,
        () => shop.doPeriodicWork(),
      ])
        statements.push(...(await recordStatements(() => work(shop))).statementsOf(db));

      // Templates may begin with a line break.
      expect(statements.filter(({ sql }) => /^\s+select "order_line"\."id"/.test(sql))).not.toEqual([]);
      const slowStatements = new Map<string, string[]>();
      for (const statement of statements) {
        const text = statement.sql.trim();
        if (!/^(select|insert|update|delete|with)\b/i.test(text)) continue;
        // Lists use keyset pagination.
        expect(statement.sql).not.toMatch(/ offset /i);
        const reasons = await findScansAndSorts(shop.database, statement);
        if (reasons.length > 0 && !allowedScans.some((pattern) => pattern.test(text)))
          slowStatements.set(statement.sql, reasons);
      }
      expect(Object.fromEntries(slowStatements)).toEqual({});
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

async function requestNextPage(shop: TestShop, name: CallName, person: TestUser): Promise<Statement[]> {
  const query = { user: person.email, after: rowKey(10), limit: '10' };
  const { result, statementsOf } = await recordStatements(() =>
    sendCall(shop, name, { params: { id: rowKey(1) }, query, headers: tokenHeaders(person) }),
  );
  expect([name, result.status]).toEqual([name, 200]);
  return statementsOf(shop.database.db);
}

async function exportAndDeleteAccounts(shop: TestShop): Promise<void> {
  const customer = await shop.signUp();
  const product = await shop.addProduct();
  await buy(shop, customer, product);
  await placeOrder(shop, customer, product);
  await shop.client(customer).call('addReview', { body: { rating: 5, reviews: 'Good.', img: product.img } });
  for (const person of [customer, await shop.admin()]) {
    const params = { email: person.email };
    const users = shop.database.db.updateTable('user').where('email', '=', person.email);
    await users.set({ emailVerified: true }).execute();
    await shop.client(person).call('exportUser', { params });
    await shop.client(person).call('deleteUser', { params, body: { password: person.password } });
  }
}

/** An admin searches users, searches, filters and sorts products, and filters the audit log and the stock history. */
async function searchAndFilter(shop: TestShop): Promise<void> {
  const admin = shop.client(await shop.admin());
  const after = rowKey(10);
  for (const q of ['person-1', 'Ö']) await admin.call('listUsers', { query: { q } });
  const flags = [
    { archived: 'true' },
    { inStock: 'false' },
    { lowStock: 'true' },
    { weight: 'none' },
    { category: 'Pins' },
    { q: 'gauge toool', partial: 'true' },
  ] as const;
  for (const filter of [
    {},
    { q: 'tool' },
    { q: 'tool 19' },
    { q: 'Ö' },
    { q: 'toool' },
    { minPrice: 2 },
    ...flags,
  ]) {
    await admin.call('getProductFilters', { query: filter });
    for (const sort of productSorts) {
      // The best matches of a search do not have this product.
      const page = sort === 'best' ? {} : { after };
      await admin.call('listProducts', { query: { ...filter, ...page, sort, limit: 10 } });
    }
  }
  for (const query of [{ actor: 'a@example.com' }, { target: after }])
    for (const page of [query, { ...query, after }]) await admin.call('listAudit', { query: page });
  for (const query of [{ reason: 'delivery' }, { reason: 'sale' }] as const)
    for (const page of [query, { ...query, after }]) await admin.call('listStock', { query: page });
  for (const query of [{ own: 'true' }, { hidden: 'true' }, { reported: 'true' }] as const)
    for (const page of [query, { ...query, after }]) await admin.call('listReviews', { query: page });
  for (const sort of reviewSorts)
    await admin.call('listProductReviews', { params: { id: rowKey(1) }, query: { sort, after, limit: 10 } });
}

/** The outcomes of payments and orders that single calls do not reach. */
async function payAndRefund(shop: TestShop): Promise<void> {
  const { db } = shop.database;
  const [tom, product] = [await shop.signUp(), await shop.addProduct({ price: 3 })];
  const open = async () => {
    const order = await placeOrder(shop, tom, product);
    return { order, intent: await openPayment(shop, tom, order) };
  };
  const [cancelled, wrong, late] = [await open(), await open(), await open()];
  await shop.client(tom).call('deleteOrder', { params: { id: cancelled.order._id } });
  await confirmIntent(shop, wrong.intent);
  await changeOrders(shop, { total: 1 }, wrong.order._id);
  await db.updateTable('purchase').set({ hold_until: 0 }).where('id', '=', late.order._id).execute();
  // Refunds the payment with the wrong total, and ends the hold of the late order.
  await shop.doPeriodicWork();
  await shop.client(tom).call('orderAgain', { params: { id: late.order.purchase } });
  await shop.client(tom).call('deleteOrder', { params: { id: late.order._id } });
  // This call finds the purchase by its price.
  const { price } = await placeOrder(shop, tom, product);
  await shop.client(tom).call('createPaymentIntent', { body: { price } });
  const ids = [cancelled, wrong, late].map(({ order }) => order._id);
  const states = await db.selectFrom('payment').select('state').where('purchase_id', 'in', ids).execute();
  expect(states.map(({ state }) => state).toSorted()).toEqual(['cancelled', 'cancelled', 'refunded']);
}

/** Creates refunds that fail, that are made at the provider or that are still to be requested, and a dispute. */
async function refundAndDispute(shop: TestShop): Promise<void> {
  const [admin, tom, product] = [
    shop.client(await shop.admin()),
    await shop.signUp(),
    await shop.addProduct(),
  ];
  const refund = async (card: string) => {
    const bought = await buy(shop, tom, product, 2, card);
    const params = { id: bought.order._id };
    await refundOrder(admin, { params, body: { amount: 1, reason: 'other' } }).catch(() => undefined);
    return { ...bought, read: () => admin.call('getOrder', { params }) };
  };
  const [failing, sound] = [await refund('pm_card_refundFail'), await refund('pm_card_visa')];
  const disputed = await refund('pm_card_createDispute');
  const form = { payment_intent: failing.intent.id, amount: '100' };
  await shop.stripe.finish((await requestStripe(shop, 'POST', '/refunds', form)).id);
  await requestStripe(shop, 'POST', '/refunds', { ...form, payment_intent: sound.intent.id });
  await shop.database.db
    .updateTable('refund')
    .set({ status: 'pending', provider_id: null, created_at: 0 })
    .where('purchase_id', '=', sound.order.purchase)
    .execute();
  await shop.database.db
    .updateTable('order_line')
    .set({ refund_pending: 100 })
    .where('id', '=', sound.order._id)
    .execute();
  await shop.doPeriodicWork();
  // The shop learns of some of these by webhook.
  await expect
    .poll(failing.read)
    .toMatchObject({ refunded: 1, refunds: [{ amount: 1 }, { status: 'failed' }] });
  await expect
    .poll(sound.read)
    .toMatchObject({ refunded: 2, refunds: [{ status: 'succeeded' }, { status: 'succeeded' }] });
  await expect.poll(disputed.read).toMatchObject({
    disputed: true,
    refunds: [{ status: 'failed' }],
    disputes: [{ isOpen: true }],
  });
  await admin.call('getHealth', {});
  await admin.call('retryMail', {});
}

/** The statement that runs every few seconds if errors occurred. */
function recordFailures({ database: { db } }: TestShop): Promise<void> {
  const failed = { times: 2, lastAt: Date.now(), requestId: null };
  return upsertFailures(db, new Map([['it failed', failed]]));
}

/** Signs in and out, which also runs Better Auth's own statements. */
async function signInAndOut(shop: TestShop): Promise<void> {
  const { email, password } = await shop.signUp();
  const [person, other] = [await shop.signIn(email, password), await shop.signIn(email, password)];
  const requests: [path: string, body?: object][] = [
    ['/get-session'],
    ['/list-sessions'],
    ['/revoke-session', { token: other.token.split('.')[0] }],
    ['/revoke-other-sessions', {}],
    ['/change-password', { currentPassword: password, newPassword: `${password}-2` }],
  ];
  for (const [path, body] of requests)
    expect([path, (await sendAuthRequest(shop, path, body, cookieHeaders(person))).status]).toEqual([
      path,
      200,
    ]);
  const renewed = await shop.signIn(email, `${password}-2`);

  expect((await sendAuthRequest(shop, '/sign-out', {}, cookieHeaders(renewed))).status).toBe(200);
  expect((await sendAuthRequest(shop, '/sign-in/email', { email, password: 'wrong-one' })).status).toBe(401);
}

/** Signs in over the network, because the sign-in visits Google's pages. */
async function signInWithGoogle(shop: TestShop): Promise<void> {
  await shop.listen();
  const jar = createCookieClient();
  for (const _ of ['new', 'known']) {
    const response = await jar.visit(`${shop.origin}/api/auth/sign-in/social`, {
      method: 'POST',
      headers: { origin: shop.origin, 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'google', callbackURL: '/blogs' }),
    });
    const { url }: { url: string } = await response.json();
    const page = await jar.followRedirects(url);
    const body = new URLSearchParams({ email: 'ines@mail.example', verified: 'on' });
    const end = await jar.followRedirects(page.url, { method: 'POST', body });
    expect(end.url).toBe(`${shop.origin}/blogs`);
  }
}

/** Adds rows: PostgreSQL's plans are meaningful only with data. */
async function fillDatabase({ database: { db, engine }, close }: TestShop): Promise<void> {
  const size = { products: 2000, orders: 4000, reviews: 2000, people: 500 };
  for (const statement of buildBulkInserts(engine, size, 'customer@example.com'))
    await db.executeQuery(CompiledQuery.raw(statement));
  if (engine === 'postgres') await db.executeQuery(CompiledQuery.raw('analyze'));
  await close();
}
