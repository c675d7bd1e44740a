import { randomUUID } from 'node:crypto';
import type { Database } from './database/database.ts';

/** This process, among those that share the database. */
const holder = randomUUID();

/** How long a lease outlives a process that died, and how often a living one renews it. */
const lasts = 60_000;
const renewed = 20_000;
/** Clocks of two servers differ by less; what is further ahead was written before the clock was set back. */
export const skew = 5 * 60_000;

/** What one process at a time does. */
type Work = 'periodic work';

/**
 * Does `work` where no other process has the lease of that name, and keeps the lease until it is done. When
 * the process dies another one takes the work over within a minute.
 */
export async function withLease(database: Database, name: Work, work: () => Promise<void>): Promise<void> {
  if (!(await take(database, name))) return;
  // A renewal that fails is made up for by the next one, or the work is done twice: it bears that.
  const timer = setInterval(() => void take(database, name).catch(() => undefined), renewed).unref();
  try {
    await work();
  } finally {
    clearInterval(timer);
    await database.db.deleteFrom('lease').where('name', '=', name).where('holder', '=', holder).execute();
  }
}

/** Whether a living process does it now. */
export async function isLeased({ db }: Database, name: Work): Promise<boolean> {
  const lease = await db.selectFrom('lease').select('until').where('name', '=', name).executeTakeFirst();
  return lease !== undefined && lease.until >= Date.now();
}

async function take({ db }: Database, name: Work): Promise<boolean> {
  const now = Date.now();
  const taken = await db
    .insertInto('lease')
    .values({ name, holder, until: now + lasts })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, until: now + lasts })
        .where((eb) =>
          eb.or([
            eb('lease.until', '<', now),
            eb('lease.until', '>', now + lasts + skew),
            eb('lease.holder', '=', holder),
          ]),
        ),
    )
    .executeTakeFirst();
  return taken.numInsertedOrUpdatedRows === 1n;
}
