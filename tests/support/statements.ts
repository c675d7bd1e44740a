import { AsyncLocalStorage } from 'node:async_hooks';
import type { DefaultQueryExecutor as Executor, Kysely } from 'kysely';
import type { Schema } from '../../server/database/schema.ts';
import { DefaultQueryExecutor } from './parts.ts';

/** A statement as the shop ran it. */
export type Statement = { sql: string; parameters: readonly unknown[] };

type Heard = Statement & { by: unknown };
const listening = new AsyncLocalStorage<Heard[]>();

// Every statement of every Kysely instance of this test file passes here, so the shop needs no door for it.
DefaultQueryExecutor.prototype.executeQuery = new Proxy(DefaultQueryExecutor.prototype.executeQuery, {
  apply(execute, executor: Executor, given: [Statement]) {
    const [{ sql, parameters }] = given;
    listening.getStore()?.push({ sql, parameters, by: executor.adapter });
    return Reflect.apply(execute, executor, given);
  },
});

/** Listens to what runs because of `work`; `of` leaves one database's, which may be known only afterwards. */
export async function listen<T>(work: () => Promise<T>) {
  const heard: Heard[] = [];
  const result = await listening.run(heard, work);
  return {
    result,
    of: (db: Kysely<Schema>): Statement[] => {
      const { adapter } = db.getExecutor();
      return heard.filter(({ by, sql }) => by === adapter && !/^(savepoint|release|rollback)/.test(sql));
    },
  };
}
