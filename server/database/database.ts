import { randomBytes } from 'node:crypto';
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  type QueryResult,
  SqliteDialect,
} from 'kysely';
import { wrongSetting } from '../../contract/errors.ts';
import type { DatabaseLocation, Mode } from '../config/config.ts';
import { toDatabaseError } from './errors.ts';
import { createGroupCommit } from './group-commit.ts';
import { migrate } from './migrate.ts';
import { createQueryRetry, openPool, retryConflicts, type SocketTimeout } from './postgres.ts';
import type { Db, Engine, Schema, Tx } from './schema.ts';
import { createBusyTimeout, openSqlite } from './sqlite.ts';

export type Database = {
  db: Db;
  engine: Engine;
  /** Retries after a conflict. `work` must await only the database: on SQLite, all other transactions wait for it. */
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

export type DatabaseObserver = {
  /** Times are `performance.now()`. `query` contains parameter values: never log or trace them. */
  onQuery: (finished: { query: CompiledQuery; began: number; ended: number; error: unknown }) => void;
  /** Called for each transaction before it starts. */
  onTransaction: () => void;
};

type Result = QueryResult<unknown>;
export type Retry = <R extends Result>(query: CompiledQuery, run: () => Promise<R>) => Promise<R>;

/** The caller ends `db` with `destroy()`. Throws `bad_setting` if the SQLite file cannot be opened. */
export function connect<Schema>(
  location: DatabaseLocation,
  onQuery?: DatabaseObserver['onQuery'],
  timeout: SocketTimeout = { ms: 0, isEnabled: false },
): { db: Kysely<Schema>; engine: Engine } {
  // Kysely's own `log` would add four promises to each query.
  const wrapWith = (createRetry: () => Retry) => async (connection: DatabaseConnection) => {
    const retry = createRetry();
    const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
    connection.executeQuery = async <Row>(...args: Parameters<typeof execute>) => {
      const [query] = args;
      const began = performance.now();
      let error: unknown;
      try {
        return await retry(query, () => execute<Row>(...args));
      } catch (thrown) {
        error = thrown;
        throw thrown;
      } finally {
        onQuery?.({ query, began, ended: performance.now(), error });
      }
    };
  };
  if ('file' in location) {
    const database = openSqlite(location.file);
    const dialect = new SqliteDialect({ database, onCreateConnection: wrapWith(createBusyTimeout) });
    return { db: new Kysely<Schema>({ dialect }), engine: 'sqlite' };
  }
  const pool = () => openPool(location, timeout);
  const dialect = new PostgresDialect({ pool, onCreateConnection: wrapWith(createQueryRetry) });
  const db = new Kysely<Schema>({ dialect });
  // A connection's search path would not pass through PgBouncer.
  return { db: location.schema ? db.withSchema(location.schema) : db, engine: 'postgres' };
}

/**
 * Opens and migrates the shop's database. A PostgreSQL query fails after `timeoutMs` of silence. Throws `bad_setting` if the
 * database cannot be used.
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
    transaction(work) {
      observer?.onTransaction();
      return run(work);
    },
    close: () => db.destroy(),
  };
}

/** How errors describe a database, by its mode. */
const databaseKinds = new Map<string, string>([
  ['sandbox', 'was created in the sandbox'],
  ['test', 'was created with Stripe’s test keys'],
  ['live', 'belongs to a live shop'],
]);
const keyKinds: Record<Mode, string> = {
  sandbox: 'no STRIPE_* key is set',
  test: 'STRIPE_SECRET_KEY is a test key',
  live: 'STRIPE_SECRET_KEY is a live key',
};

/** Explains why a database cannot be used in this mode. */
export const describeModeConflict = (recorded: string, mode: Mode): string =>
  `This database ${databaseKinds.get(recorded) ?? `is in an unknown mode (${recorded})`}, but ${keyKinds[mode]}`;

/**
 * Records the mode of a new database, and returns the shop's id. Throws if the database was created in another mode. Payments by
 * the stand-in, by test cards and by real cards must never share a database: otherwise, orders that nobody paid for would ship.
 */
export async function claimDatabase({ db }: Database, mode: Mode): Promise<string> {
  await db
    .insertInto('setting')
    .values([
      { name: 'mode', value: mode },
      { name: 'shop id', value: `shop_${randomBytes(12).toString('hex')}` },
    ])
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const rows = await db.selectFrom('setting').selectAll().execute();
  const stored = new Map(rows.map(({ name, value }) => [name, value]));
  const recorded = stored.get('mode') ?? '';
  if (recorded !== mode)
    throw wrongSetting(
      `${describeModeConflict(recorded, mode)}: set the keys that belong to it, or set DATA_DIR or DATABASE_URL to another location.`,
    );
  return stored.get('shop id') ?? '';
}
