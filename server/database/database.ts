import type { Kysely, Transaction } from 'kysely';
import { ShopError } from '../errors.ts';
import { describeFileError } from '../file-errors.ts';
import { untilAlone } from './again.ts';
import { connect, type Engine, type Patience, type Place } from './connect.ts';
import { createGroups } from './group.ts';
import { migrate } from './migrate.ts';
import type { Observer } from './observed.ts';
import type { Schema } from './schema.ts';
import { isAway, isBroken } from './trouble.ts';

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;

export type Database = {
  db: Db;
  engine: Engine;
  /**
   * Runs `work` in one transaction; runs it again where the engine says that it met another one. It awaits nothing
   * but the database: others wait for it.
   */
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

/**
 * Opens the shop's database and brings it to this code's version. Throws a sentence where it cannot. `observer` sees
 * what it does. From then on PostgreSQL may be silent for `silentMs`; for commands, as long as it takes.
 */
export async function openDatabase(place: Place, observer?: Observer, silentMs?: number): Promise<Database> {
  // An index on a large table takes minutes.
  const patience = { ms: silentMs ?? 0, isEndless: true };
  const { db, engine } = connectOrExplain(place, observer?.statement, patience);
  try {
    await migrate(db, engine);
  } catch (error) {
    await db.destroy().catch(() => undefined);
    throw explain(place, error);
  }
  patience.isEndless = silentMs === undefined;
  const run: Database['transaction'] =
    engine === 'sqlite' ? createGroups(db) : (work) => untilAlone(() => db.transaction().execute(work));
  return {
    db,
    engine,
    transaction: observer ? (work) => run(observer.transaction(work)) : run,
    close: () => db.destroy(),
  };
}

function connectOrExplain(place: Place, tell: Observer['statement'] | undefined, patience: Patience) {
  try {
    return connect<Schema>(place, tell, patience);
  } catch (error) {
    throw explain(place, error);
  }
}

/** One sentence on why a database cannot be used. Its address is left out: it contains a password. */
export function explain(place: Place, cause: unknown): ShopError {
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
  return isAway(error) || isBroken(error) ? unusable(error) : undefined;
}

const unusable = (cause: unknown) => `DATABASE_URL names a database that cannot be used: ${reasonOf(cause)}.`;

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const reason = cause.message || ('code' in cause ? String(cause.code) : cause.name);
  return reason.replace(/[.\s]*$/, '');
}
