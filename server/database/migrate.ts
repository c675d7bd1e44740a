import { type Kysely, sql, type Transaction } from 'kysely';
import { ShopError } from '../errors.ts';
import type { Engine } from './connect.ts';
import { up as identity } from './migrations/001-identity.ts';
import { up as shop } from './migrations/002-shop.ts';
import { up as indexes } from './migrations/003-indexes.ts';
import { up as audit } from './migrations/004-audit.ts';
import { up as health } from './migrations/005-health.ts';
import type { Schema } from './schema.ts';

type Migration = { name: string; up: (db: Kysely<Schema>, engine: Engine) => Promise<void> };

/** In order; a name that has been released is never changed. */
const migrations: Migration[] = [
  { name: '001-identity', up: identity },
  { name: '002-shop', up: shop },
  { name: '003-indexes', up: indexes },
  { name: '004-audit', up: audit },
  { name: '005-health', up: health },
];

/**
 * Brings the database to this code's version, each step in a transaction of its own. Processes that start
 * together take turns without a lock of the engine's own: the step's row is written first, so a second
 * process waits for it and then finds the step done. Throws when the database is newer than the code.
 */
export async function migrate(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await createTable(db).catch(() => createTable(db));
  for (const step of await listPending(db)) {
    await db.transaction().execute((tx) => take(tx, engine, step));
  }
}

/** The same in a transaction that is under way; with names, those steps alone. For a restore. */
export async function migrateWithin(
  tx: Transaction<Schema>,
  engine: Engine,
  only?: readonly string[],
): Promise<void> {
  await createTable(tx);
  for (const step of await listPending(tx))
    if (!only || only.includes(step.name)) await take(tx, engine, step);
}

async function take(tx: Transaction<Schema>, engine: Engine, { name, up }: Migration): Promise<void> {
  const mine = await tx
    .insertInto('migration')
    .values({ name, applied_at: Date.now() })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst();
  if (mine.numInsertedOrUpdatedRows === 1n) await up(tx, engine);
}

/** The steps that this database has not had yet, in order. Throws when it is newer than the code. */
export async function listPending(db: Kysely<Schema>): Promise<Migration[]> {
  const applied = await db.selectFrom('migration').select('name').execute();
  const done = applied.map(({ name }) => name);
  const unknown = findUnknown(done);
  if (unknown) {
    throw new ShopError(
      'bad_setting',
      `The database has a change (${unknown}) that this release does not know: start the newer release that made it.`,
    );
  }
  return migrations.filter(({ name }) => !done.includes(name));
}

/** The first of these steps that only a newer release knows. */
export function findUnknown(names: readonly string[]): string | undefined {
  return names.find((name) => !migrations.some((known) => known.name === name));
}

/** PostgreSQL may refuse `if not exists` to one of two processes that ask at the same moment. */
async function createTable(db: Kysely<Schema>): Promise<void> {
  await sql`create table if not exists migration (name text primary key, applied_at bigint not null)`.execute(
    db,
  );
}
