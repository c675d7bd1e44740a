import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from './database.ts';
import { executePrepared } from './prepared-statements.ts';

const row = 'changes';
const pollIntervalMs = 300;
/** How long a poll may take; the next one then uses another connection. */
const queryTimeoutMs = 2000;

/** Writes a new value to the row that all servers on this database poll, so that they clear their caches. Commands call it, too. */
export async function announceChange({ db }: Pick<Database, 'db'>): Promise<string> {
  const value = randomUUID();
  const query = db
    .insertInto('setting')
    .values({ name: row, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }));
  await executePrepared(db, query.compile());
  return value;
}

/**
 * Clears this process's cache when products or reviews have changed. Its own changes clear the cache at once, changes by other
 * processes at the next poll. A change is committed before it is announced, so a process that sees the announcement also sees the
 * change.
 */
export function watchChanges(database: Database, clearCache: () => void, log: Logger) {
  let seen: string | undefined;
  let changes = 0;
  let announced = 0;
  let running: Promise<void> | undefined;

  function report(error: unknown): void {
    log.debug({ error }, 'changes could not be announced or polled');
  }

  async function poll(): Promise<void> {
    const before = seen;
    const setting = database.db.selectFrom('setting').select('value').where('name', '=', row);
    seen = (await withTimeout(setting.executeTakeFirst()))?.value;
    if (seen !== before) clearCache();
  }

  async function pollOrAnnounce(): Promise<void> {
    // A failed poll must not keep a change from being announced.
    if (announced === changes) await poll().catch(report);
    while (announced < changes) {
      const announcing = changes;
      seen = await withTimeout(announceChange(database));
      announced = announcing;
      // The new value may have replaced another process's value that we haven't read yet. Clear the cache for that change, too.
      clearCache();
    }
  }

  function start(): void {
    running ??= pollOrAnnounce()
      .catch(report)
      .finally(() => {
        running = undefined;
      });
  }

  const timer = setInterval(start, pollIntervalMs).unref();

  /**
   * Call after committing a change of products or reviews. `clear` clears those of this process's caches that the change concerns;
   * other processes clear all.
   */
  function invalidateCaches(clear = clearCache): void {
    clear();
    // On SQLite there is only one server process, and each announcement would cost a commit.
    if (database.engine === 'sqlite') return;
    changes += 1;
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
  const timeout = setTimeout(queryTimeoutMs, undefined, { ref: false });
  const fail = timeout.then(() => Promise.reject(new Error('The database did not respond in time.')));
  return Promise.race([query, fail]);
}
