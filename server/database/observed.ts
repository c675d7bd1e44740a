import type { CompiledQuery, DatabaseConnection } from 'kysely';
import type { Tx } from './database.ts';

/** A statement that has ended; times as of `performance.now()`. Its values stand in `query` and go no further. */
type Ended = { query: CompiledQuery; began: number; ended: number; error: unknown };

/** Who wants to know what the database does. */
export type Observer = {
  statement: (ended: Ended) => void;
  /** Is given the work of each transaction as it is asked for, and gives what is to be run. */
  transaction: <T>(work: (tx: Tx) => Promise<T>) => (tx: Tx) => Promise<T>;
};

/** Tells `tell` of every statement of a connection. Kysely's own log would cost each statement four promises more. */
export function observeStatements(connection: DatabaseConnection, tell: Observer['statement']): void {
  const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
  connection.executeQuery = async <Row>(...given: Parameters<typeof execute>) => {
    const began = performance.now();
    let error: unknown;
    try {
      return await execute<Row>(...given);
    } catch (thrown) {
      error = thrown;
      throw thrown;
    } finally {
      tell({ query: given[0], began, ended: performance.now(), error });
    }
  };
}
