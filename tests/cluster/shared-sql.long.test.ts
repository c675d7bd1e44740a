import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { prepareRequests } from '../support/call-requests.ts';
import { allOffers } from '../support/call-samples.ts';
import { makeTestPostgres } from '../support/database.ts';
import { startShop } from '../support/shop.ts';
import { recordStatements } from '../support/statements.ts';

/** Features that engines compatible with PostgreSQL often lack: notifications, sequences, advisory locks, catalogs, … */
const rarelySupported =
  /\b(un)?listen\b|\bnotify\b|advisory|skip locked|\bnowait\b|lock table|for (no key update|key share|share)\b|\b(nextval|currval|setval|lastval)\b|\bserial\b|generated .* as identity|deferr|\b(ctid|xmin|xmax|tableoid)\b|\bunlogged\b|\btemp(orary)?\b|\bconcurrently\b|\bpg_\w+|\binformation_schema\b|\bmerge into\b|\bcopy\b|\btruncate\b|\bvacuum\b|\bcreate (type|domain|extension|rule|materialized|sequence)\b|::/i;

/** The size of the database, for the Health page. */
const databaseSizeQuery = 'select pg_database_size(current_database()) as bytes';

/** Locks that keep an account from being deleted. They are shared, so that one customer's orders do not wait for each other. */
const accountLock =
  /^\s*(select "id" from "user" where "id"|insert into purchase [^;]* from "user" where id) = \$\d+\s+for key share\b/;

/** The audit log's trigger against TRUNCATE. */
const truncateTrigger = /^create trigger audit_no_truncate /;

test('no statement uses features that engines compatible with PostgreSQL often lack', async () => {
  // An empty database, so that the migrations are recorded too.
  const place = await makeTestPostgres();
  const rateLimits = { intentsPerUser: 100 };
  const started = await recordStatements(() =>
    startShop({ place, demo: true, settings: allOffers, rateLimits }),
  );
  await using shop = started.result;
  const { users, requests } = await prepareRequests(shop);
  const recorded = [...started.statementsOf(shop.database.db)];
  for (const send of requests.values())
    for (const user of [undefined, users.customer, users.admin]) recorded.push(...(await send(user)));
  const periodic = await recordStatements(() => shop.doPeriodicWork());
  recorded.push(...periodic.statementsOf(shop.database.db));
  const statements = [...new Set(recorded.map((statement) => statement.sql))];
  expect(statements.length).toBeGreaterThan(100);
  expect(statements).toContainEqual(expect.stringMatching(/^create table order_line /));
  const unsupported = statements.filter((statement) => rarelySupported.test(statement));
  const isKnown = (statement: string) => truncateTrigger.test(statement) || accountLock.test(statement);
  expect(unsupported.filter((statement) => !isKnown(statement))).toEqual([databaseSizeQuery]);
}, 60_000);

test('the tables of the shop and the stand-ins use only common types: no sequences, deferrable constraints or custom types', async () => {
  await using shop = await startShop({ engine: 'postgres' });
  const { db } = shop.database;
  const read = async (text: string): Promise<string[]> => {
    const { rows } = await sql<{ found: string }>`${sql.raw(text)}`.execute(db);
    return rows.map(({ found }) => found);
  };
  const schemas = "('public', 'sandbox')";
  const types = await read(`select distinct data_type as found from information_schema.columns
    where table_schema in ${schemas} order by data_type`);
  expect(types).toEqual(['bigint', 'boolean', 'bytea', 'integer', 'text', 'timestamp with time zone']);
  const kinds = await read(`select distinct relkind::text as found from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace where nspname in ${schemas} order by 1`);
  // Indexes and tables; no sequence, view, partition or foreign table.
  expect(kinds).toEqual(['i', 'r']);
  expect(await read('select conname as found from pg_constraint where condeferrable')).toEqual([]);
  expect(
    await read('select distinct tgname as found from pg_trigger where not tgisinternal order by 1'),
  ).toEqual([
    'audit_append_only',
    'audit_no_truncate',
    'product_keys',
    'product_search_added',
    'product_search_changed',
    'product_search_removed',
    'product_words',
    'purchase_words',
    'review_rating',
    'search_text_added',
    'search_text_removed',
    'user_words',
  ]);
  expect(await read('select extname as found from pg_extension')).toEqual(['plpgsql']);
  const own = await read(`select typname as found from pg_type
    join pg_namespace on pg_namespace.oid = typnamespace where nspname in ${schemas} and typtype in ('e', 'd', 'r')`);
  expect(own).toEqual([]);
});
