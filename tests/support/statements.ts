import { AsyncLocalStorage } from 'node:async_hooks';
import type { DefaultQueryExecutor as Executor, Kysely } from 'kysely';
import { DefaultQueryExecutor } from './shop-modules.ts';

export type Statement = { sql: string; parameters: readonly unknown[] };

/** A database with any tables. */
type AnyDatabase = Pick<Kysely<unknown>, 'getExecutor'>;

type RecordedStatement = Statement & { by: unknown };
const recording = new AsyncLocalStorage<RecordedStatement[]>();

type Interruption = { at: RegExp; when: 'before' | 'after'; work: () => Promise<unknown> };
/** The interruptions, by the adapter of their database. */
const interruptions = new Map<unknown, Interruption>();

// Every Kysely instance in the process uses this prototype, so the shop needs no hook for tests.
DefaultQueryExecutor.prototype.executeQuery = new Proxy(DefaultQueryExecutor.prototype.executeQuery, {
  apply(execute, executor: Executor, args: [Statement]) {
    const [{ sql, parameters }] = args;
    const by = executor.adapter;
    recording.getStore()?.push({ sql, parameters, by });
    const run = () => Reflect.apply(execute, executor, args);
    const interruption = interruptions.get(by);
    if (!interruption?.at.test(sql)) return run();
    interruptions.delete(by);
    return interruption.when === 'before' ? interruption.work().then(run) : runFirst(run, interruption.work);
  },
});

/** Records the SQL statements that `work` causes. `statementsOf` returns those of one database. */
export async function recordStatements<T>(work: () => Promise<T>) {
  const recorded: RecordedStatement[] = [];
  const result = await recording.run(recorded, work);
  return {
    result,
    statementsOf: (db: AnyDatabase): Statement[] => {
      const { adapter } = db.getExecutor();
      return recorded.filter(({ by, sql }) => by === adapter && !/^(savepoint|release|rollback)/.test(sql));
    },
  };
}

async function runFirst<T>(run: () => Promise<T>, work: () => Promise<unknown>): Promise<T> {
  const result = await run();
  await work();
  return result;
}

/** Does `work` once, before the next statement that matches. That statement must not be part of a transaction. */
export function interruptBefore(db: AnyDatabase, at: RegExp, work: () => Promise<unknown>): void {
  interruptions.set(db.getExecutor().adapter, { at, when: 'before', work });
}

/** Like `interruptBefore`, but does `work` after the statement, whose result is from before `work`. */
export function interruptAfter(db: AnyDatabase, at: RegExp, work: () => Promise<unknown>): void {
  interruptions.set(db.getExecutor().adapter, { at, when: 'after', work });
}
