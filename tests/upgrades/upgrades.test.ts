import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Order } from '../../contract/orders/orders.ts';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { openDatabase } from '../../server/database/database.ts';
import { auditMoney, auditOrders, auditRefunds, auditTransactions, readBooks } from '../support/auditor.ts';
import { engines, makeTestDatabase } from '../support/database.ts';
import { confirmIntent, openPayment, placeOrder, reportPaid } from '../support/payments.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { auditStock, auditStockHistory } from '../support/stock-auditor.ts';
import type { FixtureFacts } from './fixture-data.ts';
import { fixtureFile, loadFixture, releases } from './fixtures.ts';
import { type DumpedRows, dumpDatabase, runSql } from './sql.ts';

const upgrade = async (place: DatabaseLocation) => (await openDatabase(place)).close();

const folder = join(import.meta.dirname, '../../server/database/migrations');
const migrationNames = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));

/**
 * The first 64 bits of the SHA-256 of each released migration. A released file may change only if it still does the same
 * on SQLite and PostgreSQL; the tests below compare the schemas.
 */
const released: Record<string, string> = {
  '001-identity': '1ee54c8fa1abf2bc',
  '002-shop': 'c82a373dd85eb0cb',
  '003-indexes': '3cc82357b5779328',
  '004-audit': 'a05d0b685d2e0bd9',
  '005-health': '81cd6a48b903e71c',
  '006-audit-append-only': '06fd115c0cd3313b',
  '007-hidden-reviews': '1d3c1af509f1af8d',
  '008-refunds': 'a26ec996437c64e2',
  '009-purchases': '820e004f274b132f',
  '010-earlier-purchases': '5e18c6dbf2929ef6',
  '011-order-refunds': '4f4f486a9c5f85ac',
  '012-product-editing': 'ee41813b29f10cc6',
  '013-audit-details': '4e456e2170b99e19',
  '014-user-search': '8b8211f2a2932d3f',
  '015-stock-history': '689364b82ce5c97c',
  '016-product-search': 'd66c0fc1b2979532',
  '017-order-search': 'f9123f0a95a7ce3b',
  '018-shipping': '297a4372e808a987',
  '019-sales-by-day': '15af59707e77341e',
  '020-product-images': '3acfeafce56a6f52',
  '021-sales-by-period': 'f54361028b64c2d0',
  '022-tracking-search': '894303a421824d9f',
  '023-list-speed': '31f8fa0fa6812274',
  '024-mail': '74404a6e1ab39254',
  '025-admin-mail': '8bf6b15616656175',
  '026-account-data': '4f5d4d60fe6519c3',
  '027-two-factor': '331fd0a50018ddc7',
  '028-address-change': 'f328a5783617376d',
  '029-search': 'edb67f38d834f589',
  '030-product-rating': 'fe3237255827b34e',
  '031-product-sorting': '0551b338666a0739',
  '032-product-reviews': '300129e4c4e9249e',
  '033-review-reporters': '39ab572fdacac4aa',
  '034-back-in-stock': '12028503a65cc728',
  '035-former-addresses': '871e620a638e1aa1',
  '036-waiting-mail': '31647596020bde09',
  '037-passkeys': '59383ff753e27afe',
  '038-searched-names': '37e43c3052c5381f',
  '039-orders-to-ship': '3fa33ce7a601db2d',
  '040-low-stock': 'bd7c28c012a92c83',
  '041-refunded-pieces': 'dc5ff8bd3134c7bc',
};

test('every migration has a fixture, and no released migration has changed', () => {
  // `npm run fixture` creates them. These migrations have none of their own: each was released together with a later one.
  const earlier = [
    ...['001-identity', '009-purchases', '012-product-editing', '013-audit-details', '017-order-search'],
    ...['030-product-rating', '031-product-sorting', '032-product-reviews', '034-back-in-stock'],
  ];
  const last = migrationNames.filter((name) => !earlier.includes(name));
  expect(releases).toEqual(last);
  expect(Object.fromEntries(migrationNames.map((name) => [name, computeDigest(name)]))).toEqual(released);
});

/** Independent of the line endings of this checkout. */
function computeDigest(name: string): string {
  const text = readFileSync(join(folder, `${name}.ts`), 'utf8').replaceAll('\r\n', '\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

describe.each(engines)('on %s', (engine) => {
  test.each(releases)(
    'migrating a database of %s keeps every row and results in the current schema',
    async (release) => {
      const place = await makeTestDatabase(engine);
      await loadFixture(release, engine, place);
      const before = await dumpDatabase(place, 'shop');
      await upgrade(place);
      const after = await dumpDatabase(place, 'shop');
      expect(restrictRows(after.rows, before.rows)).toEqual(before.rows);

      const fresh = await makeTestDatabase(engine);
      await upgrade(fresh);
      // The order of tables may differ.
      expect(after.schema.sort()).toEqual((await dumpDatabase(fresh, 'shop')).schema.sort());
    },
  );

  test.each(releases)('users, orders, payments and images of %s work after the upgrade', async (release) => {
    const place = await makeTestDatabase(engine);
    const facts = await loadFixture(release, engine, place);
    await runSql(place, 'shop', buildExtensions());
    const { rows } = await dumpDatabase(place, 'shop');
    await using shop = await startShop({ place, settings: { AUTH_SECRET: facts.authSecret } });
    const { customer, admin } = facts;
    const client = shop.client(customer);

    // Sessions, tokens and passwords stay valid.
    expect((await shop.send('/dashboard', {}, customer)).status).toBe(200);
    await shop.signIn(customer.email, customer.password);
    const orders = await client.call('listOwnOrders', { query: { user: customer.email } });
    expect(orders.map(({ orderStatus }) => orderStatus).sort()).toEqual([
      '',
      '',
      '',
      'expired',
      'paid',
      'paid',
      'sipping',
    ]);
    expect(await client.call('placeOrder', facts.once)).toEqual({ insertedId: facts.once.insertedId });
    for (const { id = '' } of rows.picture ?? expect.unreachable())
      expect((await shop.send(`/images/${unquote(id)}.webp`)).status).toBe(200);

    await payAndCancel(shop, facts);
    await refundEarlierOrders(
      shop,
      facts,
      orders.filter(({ orderStatus }) => orderStatus === 'paid'),
    );
    await expect.poll(() => listPaymentStates(shop)).not.toContain('refund_due');
    await expectBalanced(shop, facts);
    const unknownPayments = await shop.client(admin).call('listUnknownPayments', {});
    expect(unknownPayments).toHaveLength(1);
    const auditEntries = await shop.client(admin).call('listAudit', {});
    const written = (rows.audit ?? []).map(({ id = '' }) => unquote(id));
    expect(auditEntries.map(({ _id }) => _id)).toEqual(expect.arrayContaining(written));
  });
});

test('on PostgreSQL the first release can write its rows into the current schema, and delete them', async () => {
  const place = await makeTestDatabase('postgres');
  await upgrade(place);
  const fixture = readFileSync(fixtureFile('005-health', 'postgres', 'shop'), 'utf8');
  const inserts = [...fixture.matchAll(/^insert into "(?!migration|setting)(\w+)" .*$/gm)];
  // Accounts and sessions refer to users.
  const sorted = inserts.toSorted(([, a], [, b]) => Number(b === 'user') - Number(a === 'user'));
  await runSql(place, 'shop', sorted.map(([statement]) => statement).join('\n'));
  const { rows } = await dumpDatabase(place, 'shop');
  expect(rows.orders?.map(({ id, purchase_id }) => id === purchase_id)).toEqual(Array(7).fill(true));
  const tables = new Set(inserts.map(([, table]) => table));
  tables.delete('audit');
  expect(tables.size).toBeGreaterThan(10);
  await runSql(place, 'shop', [...tables].map((table) => `delete from "${table}";`).join('\n'));
});

/** Pays one order with its existing intent and one with a new intent, ships the latter, and cancels a third. */
async function payAndCancel(
  shop: TestShop,
  { customer, admin, plain, opened, once }: FixtureFacts,
): Promise<void> {
  const client = shop.client(customer);
  const getOrder = (id: string) => client.call('getOrder', { params: { id } });
  for (const id of [opened.order, plain]) {
    const order = await getOrder(id);
    const intent = await openPayment(shop, customer, order);
    if (id === opened.order) expect(intent.id).toBe(opened.intent);
    await confirmIntent(shop, intent);
    await reportPaid(shop, customer, order, intent);
    expect(await getOrder(id)).toMatchObject({ paid: true, transactionId: intent.id });
  }
  await shop.client(admin).call('shipOrder', { params: { id: plain }, body: { orderStatus: 'sipping' } });
  const cancelled = await client.call('deleteOrder', { params: { id: once.insertedId } });
  expect(cancelled).toEqual({ deletedCount: 1 });
  const product = await client.call('getProduct', { params: { id: once.body.orderId } });
  await placeOrder(shop, customer, product);
}

/** Refunds orders that were paid in the fixture's release; one is for a product that has been deleted. */
async function refundEarlierOrders(shop: TestShop, { admin }: FixtureFacts, orders: Order[]): Promise<void> {
  const client = shop.client(admin);
  for (const { _id: id, price } of orders) {
    await client.call('refundOrder', { params: { id }, body: { amount: 5, reason: 'other', restock: 1 } });
    await client.call('refundOrder', { params: { id }, body: { reason: 'duplicate' } });
    const { refunded, refunds } = await client.call('getOrder', { params: { id } });
    expect([refunded, refunds?.map(({ status }) => status)]).toEqual([price, ['succeeded', 'succeeded']]);
  }
}

async function expectBalanced({ config }: TestShop, { stock }: FixtureFacts): Promise<void> {
  const books = await readBooks(config.database);
  const opening = new Map(Object.entries(stock).map(([id, pieces]) => [id, { stock: pieces }]));
  expect([
    ...auditStock(books, opening),
    ...auditStockHistory(books),
    ...auditOrders(books),
    ...auditTransactions(books),
    ...auditRefunds(books),
    ...auditMoney(books),
  ]).toEqual([]);
}

async function listPaymentStates({ database }: TestShop): Promise<string[]> {
  const rows = await database.db.selectFrom('payment').select('state').execute();
  return rows.map(({ state }) => state);
}

/** SQL that extends sessions, holds and stored idempotent responses, so that they have not expired. */
function buildExtensions(): string {
  const tomorrow = Date.now() + 24 * 60 * 60 * 1000;
  return `update session set "expiresAt" = '${new Date(tomorrow).toISOString()}';
    update orders set hold_until = ${tomorrow} where status = '';
    update first_answer set created_at = ${Date.now()};`;
}

/** Restricts rows to the keys and columns that existed before. */
function restrictRows(after: DumpedRows, before: DumpedRows): DumpedRows {
  const restricted: DumpedRows = {};
  for (const [table, rows] of Object.entries(before)) {
    const columns = Object.keys(rows[0] ?? {});
    const [key = ''] = columns;
    const keys = new Set(rows.map((row) => row[key]));
    restricted[table] = (after[table] ?? [])
      .filter((row) => keys.has(row[key]))
      .map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? ''])));
  }
  return restricted;
}

const unquote = (text: string) => text.replace(/^'(.*)'$/, '$1');
