import type { CompiledQuery, QueryResult } from 'kysely';
import type { ClientBase } from 'pg';
import type { Db, Tx } from './schema.ts';

/** By SQL text. */
const names = new Map<string, string>();
/** About as many as one row has. Each number of rows is another text, which would stay prepared. */
const maxParameters = 20;

/**
 * Executes a statement that PostgreSQL parses and plans only once per connection, which takes longer than executing it. One with
 * more parameters than a row has is executed as usual. Only for statements whose plan fits all values, such as those that insert
 * rows, or find them by a unique key or in the order of an index. And without `*`: it fails once a migration has added a column.
 * `query` is a compiled one (`compile()`).
 */
export function executePrepared<Row>(db: Db | Tx, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  if (query.parameters.length <= maxParameters)
    names.getOrInsertComputed(query.sql, () => `shop ${names.size}`);
  return db.executeQuery(query);
}

/**
 * Makes a connection prepare the statements of `executePrepared`. Not through PgBouncer: in transaction mode, before 1.21, it sends
 * a statement to a connection on which it was not prepared. It reports a process id of its own, unlike `backendPid`.
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
