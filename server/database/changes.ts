import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from './database.ts';

const row = 'changes';
const pollIntervalMs = 300;
/** After that, the query is retried over another connection. */
const queryTimeoutMs = 2000;

/** Makes the servers on this database clear their caches: the row gets a new value. Commands use it, too. */
export async function announceChange({ db }: Pick<Database, 'db'>): Promise<string> {
  const value = randomUUID();
  await db
    .insertInto('setting')
    .values({ name: row, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
  return value;
}

/**
 * Clears this process's cache when products or reviews have changed: immediately for its own changes, at the next poll
 * for those of other processes. Changes are announced after they are committed, so a process that sees the announcement
 * sees the change.
 */
export function watchChanges(database: Database, clearCache: () => void, log: Logger) {
  let seen: string | undefined;
  let isPending = false;

  const announcing = createTask(log, async () => {
    while (isPending) {
      isPending = false;
      const value = await withTimeout(announceChange(database)).catch((error: unknown) => {
        isPending = true;
        throw error;
      });
      // This value may have replaced one from another process that we haven't read: clear for that change, too.
      seen = value;
      clearCache();
    }
  });

  const polling = createTask(log, async () => {
    const setting = database.db.selectFrom('setting').select('value').where('name', '=', row);
    const found = await withTimeout(setting.executeTakeFirst());
    if (found?.value === seen) return;
    seen = found?.value;
    clearCache();
  });

  const timer = setInterval(() => {
    if (isPending) announcing.start();
    polling.start();
  }, pollIntervalMs).unref();

  /** Call after committing a change of products or reviews. */
  function invalidateCaches(): void {
    clearCache();
    // On SQLite there is only one server process, and each announcement would cost a commit.
    if (database.engine === 'sqlite') return;
    isPending = true;
    announcing.start();
  }

  // In case a process died between a change and its announcement.
  invalidateCaches();

  return {
    invalidateCaches,
    async stop() {
      clearInterval(timer);
      await announcing.finish();
      await polling.finish();
    },
  };
}

/** Runs `work` at most once at a time; the next poll retries after a failure. */
function createTask(log: Logger, work: () => Promise<void>) {
  let running: Promise<void> | undefined;
  return {
    start(): void {
      running ??= work()
        .catch((error: unknown) => log.debug({ error }, 'changes could not be announced or polled'))
        .finally(() => {
          running = undefined;
        });
    },
    finish: async () => running,
  };
}

async function withTimeout<T>(query: Promise<T>): Promise<T> {
  const timeout = setTimeout(queryTimeoutMs, undefined, { ref: false }).then(() => {
    throw new Error('The database did not respond in time.');
  });
  return Promise.race([query, timeout]);
}
