import type { Kysely, Transaction } from 'kysely';
import { ShopError } from '../errors.ts';
import { untilAlone } from './again.ts';
import { connect, type Engine, type Patience, type Place } from './connect.ts';
import { createGroups } from './group.ts';
import { migrate } from './migrate.ts';
import type { Observer } from './observed.ts';
import type { Schema } from './schema.ts';

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

/** A sentence of why a database cannot be used. Its address is not told: a password stands in it. */
export function explain(place: Place, cause: unknown): ShopError {
  if (cause instanceof ShopError) return cause;
  const reason =
    cause instanceof Error
      ? cause.message || ('code' in cause ? String(cause.code) : cause.name)
      : String(cause);
  const what =
    'file' in place
      ? `DATA_DIR has a database, ${place.file}, that cannot be opened`
      : 'DATABASE_URL names a database that cannot be used';
  return new ShopError('bad_setting', `${what}: ${reason.replace(/[.\s]*$/, '')}.`, { cause });
}
