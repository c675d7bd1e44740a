import type { CompiledQuery, QueryResult } from 'kysely';
import type { ClientBase } from 'pg';
import type { Db, Tx } from './schema.ts';

/** The names of the prepared statements, by SQL text. */
const names = new Map<string, string>();
/**
 * About as many parameters as one row needs. A statement for several rows has a different text for each number of rows, and every
 * text would stay prepared.
 */
const maxParameters = 20;

/**
 * Executes a statement that PostgreSQL parses and plans only once per connection, because parsing and planning take longer than
 * executing. A statement with more than `maxParameters` is executed as usual. `query` is compiled (`compile()`).
 *
 * Use it only for statements for which one plan suits all values, such as those that insert rows, or find them by a unique key or
 * in the order of an index. Don't use it with `*`, which fails once a migration has added a column.
 */
export function executePrepared<Row>(db: Db | Tx, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  if (query.parameters.length <= maxParameters)
    names.getOrInsertComputed(query.sql, () => `shop ${names.size}`);
  return db.executeQuery(query);
}

/**
 * Makes a connection prepare the statements of `executePrepared`, unless it goes through PgBouncer. In transaction mode, PgBouncer
 * before 1.21 may send a statement to a connection on which it was not prepared. PgBouncer is recognized by its own process id,
 * which differs from `backendPid`.
 */
export function prepareStatements(client: ClientBase, backendPid: number): void {
  if (!('processID' in client) || client.processID !== backendPid) return;
  client.query = new Proxy(client.query, {
    apply(query, self, args: [unknown, unknown?]) {
      const [text, values] = args;
      const name = typeof text === 'string' ? names.get(text) : undefined;
      return Reflect.apply(query, self, name ? [{ name, text, values }] : args);
    },
  });
}
