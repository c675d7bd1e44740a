import { sql } from 'kysely';
import type { Db, Engine } from './schema.ts';

/**
 * Limits how long each statement of the transaction waits for a table lock, because other queries queue behind it. The limit is
 * above PostgreSQL's `deadlock_timeout` of one second: a statement that has waited for that time cancels an autovacuum of the
 * table.
 */
export async function limitLockWait(tx: Db, engine: Engine): Promise<void> {
  if (engine === 'postgres') await sql`set local lock_timeout = '1500ms'`.execute(tx);
}

/**
 * A migration that only creates indexes, given as `name on table (columns)`. Each index has its own transaction on PostgreSQL,
 * where building an index blocks writes. A large shop creates the indexes by hand before the upgrade, as decision 036 describes.
 */
export function createIndexes(list: (engine: Engine) => readonly string[]) {
  const create = (db: Db, index: string) => sql`create index if not exists ${sql.raw(index)}`.execute(db);
  return {
    async prepare(db: Db, engine: Engine): Promise<void> {
      if (engine === 'sqlite') return;
      for (const index of list(engine))
        await db.transaction().execute(async (tx) => {
          // Processes that start together take turns: concurrent `create … if not exists` can fail.
          await sql`select from migration order by name limit 1 for update`.execute(tx);
          await limitLockWait(tx, engine);
          await create(tx, index);
        });
    },
    async up(db: Db, engine: Engine): Promise<void> {
      for (const index of list(engine)) await create(db, index);
    },
  };
}
