import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { ShopError, wrongSetting } from '../../contract/errors.ts';
import { codeOf, isConflict } from './errors.ts';
import { limitLockWait } from './index-migration.ts';
import { addressBook } from './migrations/address-book.ts';
import { baseline } from './migrations/baseline.ts';
import { chargesOwed } from './migrations/charges-owed.ts';
import { delivery } from './migrations/delivery.ts';
import { facts } from './migrations/facts.ts';
import type { Db, Engine, Tx } from './schema.ts';

export type Migration = {
  name: string;
  /** Does most of the work before `up`, in its own transactions, so that no lock is held for long. Must be safe to repeat. */
  prepare?: (db: Db, engine: Engine) => Promise<void>;
  up: (db: Db, engine: Engine) => Promise<void>;
};

/**
 * The migrations, in order. Released migrations, such as the baseline, never change, and migrations only add
 * (`docs/decisions/036-a-baseline-and-migrations-that-only-add.md`).
 */
export const migrations: readonly Migration[] = [baseline, facts, delivery, addressBook, chargesOwed];

/** Runs the pending migrations, each in its own transaction. Throws if the database has an unknown migration. */
export async function migrate(db: Db, engine: Engine, steps = migrations): Promise<void> {
  await createTable(db).catch(() => createTable(db));
  for (const step of await listPending(db, steps)) {
    await retryWhileLocked(async () => step.prepare?.(db, engine));
    await retryWhileLocked(() =>
      db.transaction().execute(async (tx) => {
        if (!(await claim(tx, step))) return;
        await limitLockWait(tx, engine);
        await step.up(tx, engine);
      }),
    );
  }
}

/** For a restore: runs the pending migrations, or the ones with the given names, within a transaction. */
export async function migrateWithin(tx: Tx, engine: Engine, only?: readonly string[]): Promise<void> {
  await createTable(tx);
  for (const step of await listPending(tx))
    if ((!only || only.includes(step.name)) && (await claim(tx, step))) await step.up(tx, engine);
}

/**
 * Inserts the migration's row; false if it exists. This needs no advisory lock: a second process waits for the row until the first
 * process has finished.
 */
async function claim(tx: Tx, { name }: Migration): Promise<boolean> {
  const inserted = await tx
    .insertInto('migration')
    .values({ name, applied_at: Date.now() })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

const lockNotAvailable = '55P03';
const maxLockWaitMs = 60_000;

/** Retries while another transaction locks a table that `run` changes. */
async function retryWhileLocked(run: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + maxLockWaitMs; ; ) {
    try {
      return await run();
    } catch (cause) {
      if (!isConflict(cause) && codeOf(cause) !== lockNotAvailable) throw cause;
      if (Date.now() > end) {
        const sentence = 'Cannot migrate: another program locks a table. Start again once it has finished.';
        throw new ShopError('bad_setting', sentence, { cause });
      }
      await setTimeout(500);
    }
  }
}

export async function listApplied(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('migration').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

/** Throws if the database has a migration that this release does not know. */
export async function listPending(db: Db, steps = migrations): Promise<Migration[]> {
  const applied = await listApplied(db);
  const unknown = findUnknownMigration(applied, steps);
  if (unknown) throw wrongSetting(`The database ${describeUnknownMigration(unknown)}.`);
  return steps.filter(({ name }) => !applied.includes(name));
}

export function findUnknownMigration(names: readonly string[], steps = migrations): string | undefined {
  return names.find((name) => !steps.some((known) => known.name === name));
}

/**
 * Explains why this release cannot read a database or backup with an unknown migration. Completes a sentence whose subject is the
 * database or backup.
 */
export function describeUnknownMigration(name: string): string {
  if (name === '001-identity')
    return `was made by a development version from before 1.0 (${name}): the version with the tag 0.9 (commit 22340de3) reads it. If it is a sandbox, move data/ away, or set another DATA_DIR or DATABASE_URL, and start again`;
  if (name.startsWith('001-baseline'))
    return `was made by another draft of release 1.0 (${name}), and only that draft reads it. If it is a sandbox, move data/ away, or set another DATA_DIR or DATABASE_URL, and start again`;
  return `has a migration (${name}) that this release does not know: start the newer release, or restore a backup from before the upgrade into another location`;
}

/** On PostgreSQL this can fail, even with `if not exists`, if two processes run it at the same moment. */
async function createTable(db: Db): Promise<void> {
  const create = sql`create table if not exists migration (name text primary key, applied_at bigint not null)`;
  await create.execute(db);
}
