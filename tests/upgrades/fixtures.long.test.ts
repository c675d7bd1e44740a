import { describe, expect, test } from 'vitest';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { openDatabase } from '../../server/database/database.ts';
import { migrations } from '../../server/database/migrate.ts';
import { auditSettled } from '../support/auditor.ts';
import { engines, makeTestDatabase } from '../support/database.ts';
import { type DumpedRows, dumpDatabase, runSql } from '../support/database-dump.ts';
import { confirmIntent, openPayment, refundOrder, reportPaid } from '../support/payments.ts';
import { startShop } from '../support/shop.ts';
import { computeCode, enterCode, enterPassword } from '../support/two-factor.ts';
import { listReleases, loadFixture, readRelease } from './fixtures.ts';

/**
 * The migrations that each release has added, in order. A changed baseline has another name, which ends with a digest of its
 * statements; a change of a later migration would make the schema of a migrated fixture differ from that of a new database.
 */
const released: Record<string, string[]> = { '1.0': ['001-baseline-ceca205a267cab44'] };

test('no released migration has changed, and each release has a fixture', () => {
  // Migrations after the last release are not frozen yet.
  const frozen = Object.values(released).flat();
  expect(migrations.slice(0, frozen.length).map(({ name }) => name)).toEqual(frozen);
  expect(listReleases()).toEqual(Object.keys(released).sort());
  expect(listReleases()).toContain(readRelease());
});

const migrateDatabase = async (place: DatabaseLocation) => (await openDatabase(place)).close();

describe.each(engines)('on %s', (engine) => {
  test.each(listReleases())(
    'migrating a database of %s keeps every row and results in the schema of a new database',
    async (release) => {
      const place = await makeTestDatabase(engine);
      await loadFixture(release, engine, place);
      const before = await dumpDatabase(place, 'shop');
      await migrateDatabase(place);
      const after = await dumpDatabase(place, 'shop');
      expect(after.rows.migration).toEqual(expect.arrayContaining(before.rows.migration ?? []));
      const kept = { ...before.rows, migration: [] };
      expect(pickColumns(after.rows, kept)).toEqual(kept);

      const fresh = await makeTestDatabase(engine);
      await migrateDatabase(fresh);
      // The order of tables may differ.
      expect(after.schema.sort()).toEqual((await dumpDatabase(fresh, 'shop')).schema.sort());
    },
  );

  test.each(listReleases())(
    'users, orders, payments, reviews and the log of %s work afterwards',
    async (release) => {
      const place = await makeTestDatabase(engine);
      const facts = await loadFixture(release, engine, place);
      await runSql(place, 'shop', writeExtensions());
      const { rows } = await dumpDatabase(place, 'shop');
      await using shop = await startShop({ place, settings: { AUTH_SECRET: facts.authSecret } });
      const [customer, admin] = [shop.client(facts.customer), shop.client(facts.admin)];

      // Sessions, tokens, passwords and second factors stay valid.
      expect((await shop.send('/dashboard', {}, facts.customer)).status).toBe(200);
      await shop.signIn(facts.customer.email, facts.customer.password);
      for (const code of [computeCode(facts.enrolled.secret), ...facts.enrolled.recoveryCodes]) {
        const { cookie } = await enterPassword(shop, facts.enrolled);
        expect((await enterCode(shop, code, cookie)).status).toBe(200);
      }
      expect(await customer.call('placeOrder', facts.keyedRequest)).toEqual(facts.keyedResponse);

      const listOrders = () => customer.call('listOwnOrders', { query: { user: facts.customer.email } });
      const orders = await listOrders();
      const paid = orders.filter(({ orderStatus }) => orderStatus === 'paid');
      const unpaid = orders.filter(({ orderStatus }) => orderStatus === '');
      expect([paid.length, unpaid.length]).toEqual([1, 3]);
      // One of these orders has an open intent.
      for (const order of unpaid) {
        const intent = await openPayment(shop, facts.customer, order);
        await confirmIntent(shop, intent);
        await reportPaid(shop, facts.customer, order, intent);
      }
      for (const { _id: id } of [...paid, ...unpaid]) {
        await refundOrder(admin, { params: { id }, body: { amount: 1, reason: 'other', restock: 1 } });
        await refundOrder(admin, { params: { id }, body: { reason: 'duplicate' } });
      }
      for (const { refunded, price } of await listOrders()) expect([0, price]).toContain(refunded);

      const [{ _id: id, version } = expect.unreachable()] = await admin.call('listProducts', {});
      await admin.call('editProduct', { params: { id }, body: { version, facts: 'Height: 62 mm' } });
      expect((await customer.call('getProduct', { params: { id } })).facts).toBe('Height: 62 mm');

      const reviews = await admin.call('listReviews', {});
      expect(reviews.map(({ _id }) => _id)).toEqual(listIds(rows.review));
      const entries = await admin.call('listAudit', {});
      expect(entries.map(({ _id }) => _id)).toEqual(expect.arrayContaining(listIds(rows.audit)));
      await expect(shop.database.db.deleteFrom('audit').execute()).rejects.toThrow('append-only');

      await shop.doPeriodicWork();
      expect(await auditSettled(place, new Map(facts.opening))).toEqual([]);
    },
  );
});

/** The columns of `before`, without those that a migration has added. */
function pickColumns(after: DumpedRows, before: DumpedRows): DumpedRows {
  const picked = Object.entries(before).map(([table, [first = {}]]) => {
    const columns = Object.keys(first);
    const rows = columns.length === 0 ? [] : (after[table] ?? []);
    return [table, rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name] ?? ''])))];
  });
  return Object.fromEntries(picked);
}

const listIds = (rows: DumpedRows[string] = []) => rows.map(({ id = '' }) => id.replace(/^'(.*)'$/, '$1'));

/** Extends what would have expired since the release. */
function writeExtensions(): string {
  const tomorrow = Date.now() + 24 * 60 * 60 * 1000;
  return `update session set "expiresAt" = '${new Date(tomorrow).toISOString()}';
    update purchase set hold_until = ${tomorrow} where status = '';
    update idempotency_key set created_at = ${Date.now()};`;
}
