import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { engines, makeDatabase, makeFolder } from '../../tests/support/database.ts';
import { dumpDatabase, runSql } from '../../tests/support/database-dump.ts';
import { buy, placeOrder } from '../../tests/support/payments.ts';
import { findFreePort } from '../../tests/support/port.ts';
import { startPostgres } from '../../tests/support/postgres.ts';
import { builtServerPath, runCommand } from '../../tests/support/server.ts';
import { startShop } from '../../tests/support/shop.ts';
import type { DatabaseLocation } from '../config/config.ts';
import { connect, openDatabase } from './database.ts';
import { createIndexes } from './index-migration.ts';
import { type Migration, migrate, migrations } from './migrate.ts';
import { baseline } from './migrations/baseline.ts';
import type { Engine, Schema } from './schema.ts';

/** Migrations of an imaginary next release: one of each kind of change. */
const tables = ['order_line', 'product', 'payment', 'review', 'user', 'session', 'image', 'audit'];
const next: Migration[] = [
  ...tables.map((table) => ({
    name: `998-${table}`,
    up: (db: Kysely<Schema>) =>
      db.schema
        .alterTable(table)
        .addColumn('next', 'text', (c) => c.notNull().defaultTo('new'))
        .execute(),
  })),
  {
    name: '999-next',
    async up(db) {
      await db.schema
        .createTable('next')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .execute();
      await db.schema
        .createIndex('order_line_next')
        .ifNotExists()
        .on('order_line')
        .columns(['next', 'id'])
        .execute();
    },
  },
];

async function createLocation(engine: Engine): Promise<DatabaseLocation> {
  const { place, drop } = await makeDatabase(engine);
  onTestFinished(drop);
  return place;
}

/** Migrates as a process of the next release does when it starts. */
async function upgrade(place: DatabaseLocation): Promise<void> {
  const { db, engine } = connect<Schema>(place);
  try {
    await migrate(db, engine, [...migrations, ...next]);
  } finally {
    await db.destroy();
  }
}

describe.each(engines)('on %s', (engine) => {
  test('npm start and every command reject the database of a newer release and write nothing', async () => {
    const place = await createLocation(engine);
    await (await openDatabase(place)).close();
    await runSql(place, 'shop', "insert into migration (name, applied_at) values ('999-next', 1)");
    const before = await dumpDatabase(place, 'shop');
    const DATA_DIR = 'file' in place ? dirname(place.file) : makeFolder();
    onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
    const PORT = `${await findFreePort()}`;
    const settings = { DATA_DIR, PORT, ...('url' in place ? { DATABASE_URL: place.url } : {}) };
    const commands = [
      [builtServerPath],
      ['server/operations/commands/make-admin.ts', 'ada@example.com'],
      ['server/operations/commands/reset-password.ts', 'ada@example.com'],
      ['server/operations/commands/seed.ts'],
      ['server/operations/commands/backup.ts', join(DATA_DIR, 'backup')],
    ];
    for (const args of commands) {
      const { code, out, err } = await runCommand(args, settings).ended;
      expect({ args, code, out }).toEqual({ args, code: 1, out: '' });
      expect(err).toMatch(
        /^[^\n]*\(999-next\)[^\n]*start the newer release[^\n]*restore a backup[^\n]*\.\n$/,
      );
    }
    expect(await dumpDatabase(place, 'shop')).toEqual(before);
  });

  test.each([
    ['001-identity', /before 1\.0 \(001-identity\): the version with the tag 0\.9 .*move data\/ away/],
    ['001-baseline-0123456789abcdef', /another draft of release 1\.0 .*move data\/ away/],
  ])(
    'a development database with the migration %s is rejected with its own message',
    async (name, sentence) => {
      const place = await createLocation(engine);
      await (await openDatabase(place)).close();
      await runSql(place, 'shop', `update migration set name = '${name}' where name = '${baseline.name}'`);
      const before = await dumpDatabase(place, 'shop');
      await expect(openDatabase(place)).rejects.toThrow(sentence);
      expect(await dumpDatabase(place, 'shop')).toEqual(before);
    },
  );

  test('processes that start together apply each migration once', async () => {
    const place = await createLocation(engine);
    await Promise.all(Array.from({ length: 5 }, () => upgrade(place)));
    const { rows } = await dumpDatabase(place, 'shop');
    expect(rows.migration).toHaveLength(migrations.length + next.length);
  });

  test('a running shop keeps working during and after the migrations of a newer release', async () => {
    const place = await createLocation(engine);
    const shop = await startShop({ place });
    const [admin, tom] = await Promise.all([shop.admin(), shop.signUp()]);
    const product = await shop.addProduct({ a_quantity: 1000 });
    let upgraded = false;
    let rounds = 0;
    /** Any error fails the test. */
    const trade = async () => {
      for (let after = 0; after < 3; rounds++) {
        if (upgraded) after += 1;
        const { order } = await buy(shop, tom, product);
        const unpaid = await placeOrder(shop, tom, product);
        await shop.client(tom).call('deleteOrder', { params: { id: unpaid._id } });
        await shop
          .client(admin)
          .call('shipOrder', { params: { id: order._id }, body: { orderStatus: 'sipping' } });
        await shop.client(tom).call('addReview', { body: { rating: 5, reviews: 'Good.', img: product.img } });
        for (const path of ['/', '/products', '/dashboard/myOrder'])
          expect((await shop.send(path, {}, tom)).status).toBe(200);
        await shop.signIn(tom.email, tom.password);
      }
    };
    const trading = Promise.all([trade(), trade()]);
    await expect.poll(() => rounds).toBeGreaterThan(2);
    await upgrade(place);
    upgraded = true;
    await trading;
    await shop.signUp('Nora Newcomer');
    await shop.addProduct();
    await shop.doPeriodicWork();
    // The older release's responses do not contain the new columns.
    for (const list of ['listAllOrders', 'listProducts', 'listReviews', 'listUsers', 'listAudit'] as const) {
      const [first = expect.unreachable(list)] = await shop.client(admin).call(list, {});
      expect([list, ...Object.keys(first)]).not.toContain('next');
    }
    await shop.close();
    await expect(startShop({ place })).rejects.toThrow(/\(998-/);
  });
});

test('on PostgreSQL a migration cancels an autovacuum that locks its table', async () => {
  const server = await startPostgres({ settings: ['autovacuum_naptime=1s'] });
  onTestFinished(server.stop);
  const { db } = connect<Schema>(server);
  onTestFinished(() => db.destroy());
  await migrate(db, 'postgres');
  await sql`insert into rate_limit (name, count, ends_at) select 'n' || n, 1, 1 from generate_series(1, 20000) as n`.execute(
    db,
  );
  // Slows the autovacuum down to minutes.
  await sql`alter table rate_limit set (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)`.execute(db);
  await sql`update rate_limit set count = 2`.execute(db);
  const isVacuumed = async () =>
    (await sql`select from pg_stat_progress_vacuum where relid = 'rate_limit'::regclass`.execute(db)).rows
      .length > 0;
  await expect.poll(isVacuumed).toBe(true);
  const indexes = createIndexes(() => ['rate_limit_next on rate_limit (count)']);
  await migrate(db, 'postgres', [...migrations, { name: '999-next', ...indexes }]);
});

test('on PostgreSQL a migration waits for a table lock without blocking other queries', async () => {
  const place = await createLocation('postgres');
  if (!('url' in place)) return expect.unreachable();
  await (await openDatabase(place)).close();
  const report = new pg.Client({ connectionString: place.url });
  const shop = connect<Schema>(place);
  onTestFinished(() => shop.db.destroy());
  await report.connect();
  await report.query('begin; select * from order_line');
  let done = false;
  const upgrading = upgrade(place).then(() => {
    done = true;
  });
  const isBlocked = async () =>
    (
      await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(shop.db)
    ).rows.length > 0;
  await expect.poll(isBlocked).toBe(true);
  // The report's transaction ends only after this query: if the query waited for the migration, neither would finish.
  await shop.db.selectFrom('order_line').selectAll().execute();
  expect(done).toBe(false);
  await report.end();
  await upgrading;
  expect((await dumpDatabase(place, 'shop')).rows.migration?.map(({ name }) => name)).toContain("'999-next'");
});
