import { randomBytes } from 'node:crypto';
import { wrongSetting } from '../../contract/errors.ts';
import type { DatabaseLocation } from '../config/config.ts';
import { connect, type DatabaseObserver } from './connect.ts';
import { toDatabaseError } from './errors.ts';
import { createGroupCommit } from './group-commit.ts';
import { migrate } from './migrate.ts';
import { retryConflicts } from './postgres.ts';
import type { Db, Engine, Schema, Tx } from './schema.ts';

export type Database = {
  db: Db;
  engine: Engine;
  /**
   * Runs `work` in a transaction and retries it after a conflict. `work` must await only the database, because on SQLite
   * all other transactions wait for it.
   */
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

/**
 * Opens the shop's database and runs pending migrations. `timeoutMs` is how long PostgreSQL may stay silent during a
 * query; commands set none. Throws `bad_setting` with one sentence.
 */
export async function openDatabase(
  location: DatabaseLocation,
  observer?: DatabaseObserver,
  timeoutMs = 0,
): Promise<Database> {
  // Disabled during migrations: creating an index on a large table takes minutes.
  const timeout = { ms: timeoutMs, isEnabled: false };
  const { db, engine } = connect<Schema>(location, observer?.onQuery, timeout);
  try {
    await migrate(db, engine);
  } catch (error) {
    await db.destroy().catch(() => undefined);
    throw toDatabaseError(location, error);
  }
  timeout.isEnabled = true;
  const run: Database['transaction'] =
    engine === 'sqlite'
      ? createGroupCommit(db)
      : (work) => retryConflicts(() => db.transaction().execute(work));
  return {
    db,
    engine,
    transaction: observer ? (work) => run(observer.wrapTransaction(work)) : run,
    close: () => db.destroy(),
  };
}

/**
 * Records in a new database whether it is for sandbox or live use, and returns the shop's id. Throws if the database was
 * created in the other mode: payments of the stand-in and of the real provider must never share a database.
 */
export async function claimDatabase({ db }: Database, mode: 'sandbox' | 'live'): Promise<string> {
  const claim = [
    { name: 'mode', value: mode },
    { name: 'shop id', value: `shop_${randomBytes(12).toString('hex')}` },
  ];
  await db
    .insertInto('setting')
    .values(claim)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const rows = await db.selectFrom('setting').selectAll().execute();
  const stored = new Map(rows.map(({ name, value }) => [name, value]));
  if (stored.get('mode') !== mode)
    throw wrongSetting(
      mode === 'live'
        ? 'This database was made in the sandbox, but the settings are live: set DATA_DIR or DATABASE_URL to another location.'
        : 'This database is a live shop’s, but no STRIPE_* key is set: set them, or set DATA_DIR or DATABASE_URL to another location.',
    );
  return stored.get('shop id') ?? '';
}
