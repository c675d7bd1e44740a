import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from './database/database.ts';

const row = 'changes';
const everyMs = 300;
/** Who has no answer by then asks again, over another connection. */
const patienceMs = 2000;

/** Gives the row its new value; for commands, which keep no pages themselves. */
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
 * Tells every process that shares the database when products or reviews have changed, so that none goes on
 * showing pages that it kept: a row gets a new value, and each process reads it a few times a second.
 */
export function watchChanges(database: Database, forget: () => void, log: Logger) {
  let seen: string | undefined;
  let telling: Promise<void> | undefined;
  let again = false;

  async function write(): Promise<void> {
    while (again) {
      again = false;
      const value = await inTime(() => announceChange(database)).catch((error: unknown) => {
        again = true;
        throw error;
      });
      // This value may have replaced another process's before we saw it: its change is forgotten here, too.
      seen = value;
      forget();
    }
  }

  async function read(): Promise<void> {
    const found = await database.db
      .selectFrom('setting')
      .select('value')
      .where('name', '=', row)
      .executeTakeFirst();
    if (found?.value === seen) return;
    seen = found?.value;
    forget();
  }

  const ignore = (error: unknown) =>
    log.debug({ error }, 'changes could not be told or read; the next time tries again');
  let reading: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (again) tell();
    reading ??= inTime(read)
      .catch(ignore)
      .finally(() => {
        reading = undefined;
      });
  }, everyMs).unref();

  function tell(): void {
    forget();
    // There this process is the only server, and each telling would be one more commit on the disk.
    if (database.engine === 'sqlite') return;
    again = true;
    telling ??= write()
      .catch(ignore)
      .finally(() => {
        telling = undefined;
      });
  }
  // A process that died between a change and its telling is made up for by the one that follows it.
  tell();

  return {
    tell,
    async stop() {
      clearInterval(timer);
      await telling;
      await reading;
    },
  };
}

async function inTime<T>(ask: () => Promise<T>): Promise<T> {
  const tooLate = setTimeout(patienceMs, undefined, { ref: false }).then(() => {
    throw new Error('The database has not answered in time.');
  });
  return Promise.race([ask(), tooLate]);
}
