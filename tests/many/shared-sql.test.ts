import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { prepareAsks } from '../support/every-ask.ts';
import { startShop } from '../support/shop.ts';
import { listen } from '../support/statements.ts';

/** Features that engines compatible with PostgreSQL often lack: notifications, sequences, advisory locks, catalogs, … */
const notShared =
  /\b(un)?listen\b|\bnotify\b|advisory|skip locked|\bnowait\b|lock table|for (no key update|key share|share)\b|\b(nextval|currval|setval|lastval)\b|\bserial\b|generated .* as identity|deferr|\b(ctid|xmin|xmax|tableoid)\b|\bunlogged\b|\btemp(orary)?\b|\bconcurrently\b|\bpg_\w+|\binformation_schema\b|\bmerge into\b|\bcopy\b|\btruncate\b|\bvacuum\b|\bcreate (type|domain|extension|rule|materialized|sequence)\b|::/i;

/** The size of the database, for the Health page. */
const optional = 'select pg_database_size(current_database()) as bytes';

/** The audit log's trigger against TRUNCATE. */
const truncateTrigger = /^create trigger audit_no_truncate /;

test('no statement uses features that engines compatible with PostgreSQL often lack', async () => {
  const started = await listen(() => startShop({ engine: 'postgres', demo: true }));
  await using shop = started.result;
  const { people, asks } = await prepareAsks(shop);
  const heard = [...started.of(shop.database.db)];
  for (const ask of asks.values())
    for (const person of [undefined, people.customer, people.admin]) heard.push(...(await ask(person)));
  const periodic = await listen(() => shop.doPeriodicWork());
  heard.push(...periodic.of(shop.database.db));
  const statements = [...new Set(heard.map((statement) => statement.sql))];
  expect(statements.length).toBeGreaterThan(100);
  // The migrations are among them.
  expect(statements).toContainEqual(expect.stringMatching(/^create table "orders"/));
  const special = statements.filter((statement) => notShared.test(statement));
  expect(special.filter((statement) => !truncateTrigger.test(statement))).toEqual([optional]);
}, 60_000);

test('the tables, the stand-ins’ too, are of few plain types, without sequences, deferred checks or types of their own', async () => {
  await using shop = await startShop({ engine: 'postgres' });
  const { db } = shop.database;
  const read = async (text: string): Promise<string[]> => {
    const { rows } = await sql<{ found: string }>`${sql.raw(text)}`.execute(db);
    return rows.map(({ found }) => found);
  };
  const ours = "('public', 'sandbox')";
  const types = await read(`select distinct data_type as found from information_schema.columns
    where table_schema in ${ours} order by data_type`);
  expect(types).toEqual(['bigint', 'boolean', 'bytea', 'integer', 'text', 'timestamp with time zone']);
  const kinds = await read(`select distinct relkind::text as found from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace where nspname in ${ours} order by 1`);
  // Indexes and tables; no sequence, view, partition or foreign table.
  expect(kinds).toEqual(['i', 'r']);
  expect(await read('select conname as found from pg_constraint where condeferrable')).toEqual([]);
  expect(
    await read('select distinct tgname as found from pg_trigger where not tgisinternal order by 1'),
  ).toEqual(['audit_append_only', 'audit_no_truncate']);
  expect(await read('select extname as found from pg_extension')).toEqual(['plpgsql']);
  const own = await read(`select typname as found from pg_type
    join pg_namespace on pg_namespace.oid = typnamespace where nspname in ${ours} and typtype in ('e', 'd', 'r')`);
  expect(own).toEqual([]);
});
