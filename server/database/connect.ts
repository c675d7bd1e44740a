import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  type QueryResult,
  SqliteDialect,
} from 'kysely';
import type { DatabaseLocation } from '../config/config.ts';
import { createQueryRetry, openPool, type SocketTimeout } from './postgres.ts';
import type { Engine, Tx } from './schema.ts';
import { createBusyTimeout, openSqlite } from './sqlite.ts';

/** Times are `performance.now()`. `query` contains parameter values: never log or trace them. */
type FinishedQuery = { query: CompiledQuery; began: number; ended: number; error: unknown };

export type DatabaseObserver = {
  onQuery: (query: FinishedQuery) => void;
  /** Runs the work of a transaction in the context of the request that started it. */
  wrapTransaction: <T>(work: (tx: Tx) => Promise<T>) => (tx: Tx) => Promise<T>;
};

export type Retry = <Row>(
  query: CompiledQuery,
  run: () => Promise<QueryResult<Row>>,
) => Promise<QueryResult<Row>>;

/** Opens a Kysely instance, which the caller ends with `destroy()`. Throws `bad_setting` about the file of SQLite. */
export function connect<Schema>(
  location: DatabaseLocation,
  onQuery?: DatabaseObserver['onQuery'],
  timeout: SocketTimeout = { ms: 0, isEnabled: false },
): { db: Kysely<Schema>; engine: Engine } {
  const wrapWith = (createRetry: () => Retry) => async (connection: DatabaseConnection) =>
    wrapConnection(connection, createRetry(), onQuery);
  if ('file' in location) {
    const database = openSqlite(location.file);
    const dialect = new SqliteDialect({ database, onCreateConnection: wrapWith(createBusyTimeout) });
    return { db: new Kysely<Schema>({ dialect }), engine: 'sqlite' };
  }
  const pool = () => openPool(location, timeout);
  const dialect = new PostgresDialect({ pool, onCreateConnection: wrapWith(createQueryRetry) });
  return { db: new Kysely<Schema>({ dialect }), engine: 'postgres' };
}

/** Adds retries and instrumentation to a new connection. Kysely's own `log` adds four promises to each query. */
function wrapConnection(
  connection: DatabaseConnection,
  retry: Retry,
  onQuery: DatabaseObserver['onQuery'] | undefined,
): void {
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
}
