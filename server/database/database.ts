import { ShopError } from '../../contract/errors.ts';
import type { DatabaseLocation } from '../config/config.ts';
import { connect, type SocketTimeout } from './connect.ts';
import { type DatabaseObserver, retryConflicts } from './driver.ts';
import { isUnavailable, isBroken } from './errors.ts';
import { describeFileError } from './file-errors.ts';
import { createGroupCommit } from './group-commit.ts';
import { migrate } from './migrate.ts';
import type { Db, Engine, Schema, Tx } from './schema.ts';

export type Database = {
  db: Db;
  engine: Engine;
  /**
   * Runs `work` in one transaction, again after a conflict. `work` must await nothing but the database, because on
   * SQLite all other transactions wait for it.
   */
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

/**
 * Opens the shop's database and runs pending migrations; throws a `bad_setting` if it cannot. `silentMs` is how long
 * PostgreSQL may stay silent during a query; commands set none.
 */
export async function openDatabase(
  place: DatabaseLocation,
  observer?: DatabaseObserver,
  silentMs?: number,
): Promise<Database> {
  // Not during migrations: an index on a large table takes minutes.
  const timeout: SocketTimeout = { ms: silentMs ?? 0, isEnabled: false };
  const { db, engine } = connectOrExplain(place, observer, timeout);
  try {
    await migrate(db, engine);
  } catch (error) {
    await db.destroy().catch(() => undefined);
    throw toDatabaseError(place, error);
  }
  timeout.isEnabled = silentMs !== undefined;
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

function connectOrExplain(place: DatabaseLocation, observer: DatabaseObserver | undefined, timeout: SocketTimeout) {
  try {
    return connect<Schema>(place, observer?.onQuery, timeout);
  } catch (error) {
    throw toDatabaseError(place, error);
  }
}

/** One sentence on why a database cannot be used, without its URL, which contains a password. */
export function toDatabaseError(place: DatabaseLocation, cause: unknown): ShopError {
  if (cause instanceof ShopError) return cause;
  const sentence =
    'file' in place
      ? (describeFileError(cause) ??
        `The database ${place.file} in DATA_DIR cannot be opened: ${reasonOf(cause)}.`)
      : unusable(cause);
  return new ShopError('bad_setting', sentence, { cause });
}

/** One sentence if PostgreSQL cannot be reached or does not work; undefined for any other error. */
export function describePostgresError(error: unknown): string | undefined {
  return isUnavailable(error) || isBroken(error) ? unusable(error) : undefined;
}

const unusable = (cause: unknown) => `DATABASE_URL names a database that cannot be used: ${reasonOf(cause)}.`;

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const reason = cause.message || ('code' in cause ? String(cause.code) : cause.name);
  return reason.replace(/[.\s]*$/, '');
}
