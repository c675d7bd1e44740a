import { ShopError } from '../../contract/errors.ts';
import type { DatabaseLocation } from '../config/config.ts';
import { connect, type SocketTimeout } from './connect.ts';
import { type DatabaseObserver, retryConflicts } from './driver.ts';
import { isBroken, isUnavailable } from './errors.ts';
import { describeFileError } from './file-errors.ts';
import { createGroupCommit } from './group-commit.ts';
import { migrate } from './migrate.ts';
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
  timeoutMs?: number,
): Promise<Database> {
  // Disabled during migrations: creating an index on a large table takes minutes.
  const timeout: SocketTimeout = { ms: timeoutMs ?? 0, isEnabled: false };
  const { db, engine } = connectOrThrow(location, observer, timeout);
  try {
    await migrate(db, engine);
  } catch (error) {
    await db.destroy().catch(() => undefined);
    throw toDatabaseError(location, error);
  }
  timeout.isEnabled = timeoutMs !== undefined;
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

function connectOrThrow(
  location: DatabaseLocation,
  observer: DatabaseObserver | undefined,
  timeout: SocketTimeout,
) {
  try {
    return connect<Schema>(location, observer?.onQuery, timeout);
  } catch (error) {
    throw toDatabaseError(location, error);
  }
}

/** One sentence on why the database cannot be used, without its URL, which contains a password. */
export function toDatabaseError(location: DatabaseLocation, cause: unknown): ShopError {
  if (cause instanceof ShopError) return cause;
  const sentence =
    'file' in location
      ? (describeFileError(cause) ??
        `The database ${location.file} in DATA_DIR cannot be opened: ${reasonOf(cause)}.`)
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
