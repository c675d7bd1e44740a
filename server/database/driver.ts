import { setTimeout } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { isConflict, isLocked } from './errors.ts';
import type { Tx } from './schema.ts';

/** Times are `performance.now()`. `query` contains parameter values: never log or trace them. */
type FinishedQuery = { query: CompiledQuery; began: number; ended: number; error: unknown };

export type DatabaseObserver = {
  onQuery: (query: FinishedQuery) => void;
  /** Runs the work of a transaction in the context of the request that started it. */
  wrapTransaction: <T>(work: (tx: Tx) => Promise<T>) => (tx: Tx) => Promise<T>;
};

type Retry = <Row>(query: CompiledQuery, run: () => Promise<QueryResult<Row>>) => Promise<QueryResult<Row>>;

/** Adds retries and instrumentation to a new connection. Kysely's own `log` adds four promises to each query. */
export function wrapConnection(
  connection: DatabaseConnection,
  retry: Retry,
  onQuery?: DatabaseObserver['onQuery'],
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

const busyTimeoutMs = 5000;
const busyPollMs = 10;
const failFastMs = 1000;

/**
 * SQLite: waits while another process writes to the file. SQLite's own busy timeout would block this process. After 5 s
 * of SQLITE_BUSY, fails; for the next second, or until a write succeeds, fails other queries immediately, because each
 * would wait 5 s in turn.
 */
export function createBusyTimeout(): Retry {
  let gaveUpAt = Number.NEGATIVE_INFINITY;
  return async (_query, run) => {
    const began = performance.now();
    for (;;) {
      try {
        const result = await run();
        // A read (without affected rows) succeeds beside a writer and proves nothing.
        if (result.numAffectedRows !== undefined) gaveUpAt = Number.NEGATIVE_INFINITY;
        return result;
      } catch (error) {
        if (!isLocked(error)) throw error;
        const now = performance.now();
        if (now - began > busyTimeoutMs || now - gaveUpAt < failFastMs) {
          gaveUpAt = now;
          throw error;
        }
      }
      await setTimeout(busyPollMs);
    }
  };
}

/** PostgreSQL: retries a query after a conflict, unless it is part of a transaction, which must be retried as a whole. */
export function createQueryRetry(): Retry {
  let inTransaction = false;
  return (query, run) => {
    if (/^(begin|start transaction)/.test(query.sql)) inTransaction = true;
    const canRetry = !inTransaction;
    if (/^(commit|rollback$)/.test(query.sql)) inTransaction = false;
    return canRetry ? retryConflicts(run) : run();
  };
}

const maxAttempts = 10;
const maxDelayMs = 100;

/** Retries `work` after a conflict, with exponential backoff and jitter. */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= maxAttempts || !isConflict(error)) throw error;
    }
    await setTimeout(Math.random() * Math.min(maxDelayMs, 2 ** attempt));
  }
}
