import { AsyncLocalStorage } from 'node:async_hooks';
import type { DefaultQueryExecutor as Executor, Kysely } from 'kysely';
import type { Schema } from '../../server/database/schema.ts';
import { DefaultQueryExecutor } from './shop-modules.ts';

export type Statement = { sql: string; parameters: readonly unknown[] };

type RecordedStatement = Statement & { by: unknown };
const recording = new AsyncLocalStorage<RecordedStatement[]>();

// Every Kysely instance in the process uses this prototype, so the shop needs no hook for tests.
DefaultQueryExecutor.prototype.executeQuery = new Proxy(DefaultQueryExecutor.prototype.executeQuery, {
  apply(execute, executor: Executor, args: [Statement]) {
    const [{ sql, parameters }] = args;
    recording.getStore()?.push({ sql, parameters, by: executor.adapter });
    return Reflect.apply(execute, executor, args);
  },
});

/** Records the SQL statements that `work` causes. `statementsOf` returns those of one database. */
export async function recordStatements<T>(work: () => Promise<T>) {
  const recorded: RecordedStatement[] = [];
  const result = await recording.run(recorded, work);
  return {
    result,
    statementsOf: (db: Kysely<Schema>): Statement[] => {
      const { adapter } = db.getExecutor();
      return recorded.filter(({ by, sql }) => by === adapter && !/^(savepoint|release|rollback)/.test(sql));
    },
  };
}
