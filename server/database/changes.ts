import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from './database.ts';

const row = 'changes';
const pollIntervalMs = 300;
/** The next poll uses another connection. */
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
  let running: Promise<void> | undefined;

  async function poll(): Promise<void> {
    const setting = database.db.selectFrom('setting').select('value').where('name', '=', row);
    const found = await withTimeout(setting.executeTakeFirst());
    if (found?.value === seen) return;
    seen = found?.value;
    clearCache();
  }

  async function announce(): Promise<void> {
    isPending = false;
    try {
      // This may replace a value of another process that we haven't read: clear for that change, too.
      seen = await withTimeout(announceChange(database));
      clearCache();
    } catch (error) {
      isPending = true;
      throw error;
    }
  }

  async function pollOrAnnounce(): Promise<void> {
    if (!isPending) await poll();
    while (isPending) await announce();
  }

  function start(): void {
    running ??= pollOrAnnounce()
      .catch((error: unknown) => log.debug({ error }, 'changes could not be announced or polled'))
      .finally(() => {
        running = undefined;
      });
  }

  const timer = setInterval(start, pollIntervalMs).unref();

  /** Call after committing a change of products or reviews. */
  function invalidateCaches(): void {
    clearCache();
    // On SQLite there is only one server process, and each announcement would cost a commit.
    if (database.engine === 'sqlite') return;
    isPending = true;
    start();
  }

  // In case a process died between a change and its announcement.
  invalidateCaches();

  return {
    invalidateCaches,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

async function withTimeout<T>(query: Promise<T>): Promise<T> {
  const timeout = setTimeout(queryTimeoutMs, undefined, { ref: false }).then(() => {
    throw new Error('The database did not respond in time.');
  });
  return Promise.race([query, timeout]);
}
