import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from './database.ts';

const holder = randomUUID();
/** How long a lease outlives a process that died. */
const leaseMs = 60_000;
const renewalMs = 20_000;
/** A time further ahead than this was written before the clock was set back. */
const maxClockSkewMs = 5 * 60_000;

export type LeaseName = 'periodic work' | 'mail';

/** Does `work` while holding the lease `name`. Does nothing if another process holds it. */
export async function withLease(
  database: Database,
  name: LeaseName,
  work: () => Promise<void>,
): Promise<void> {
  if (!(await takeLease(database, name))) return;
  // If a renewal fails, the next one retries. At worst two processes do the work, which is harmless.
  const timer = setInterval(() => void takeLease(database, name).catch(() => undefined), renewalMs).unref();
  try {
    await work();
  } finally {
    clearInterval(timer);
    await database.db.deleteFrom('lease').where('name', '=', name).where('holder', '=', holder).execute();
  }
}

/**
 * Ends the leases of a process that was killed. Call it before the work starts. Does nothing on PostgreSQL, where other processes
 * may run.
 */
export async function endLeases({ db, engine }: Database): Promise<void> {
  if (engine === 'sqlite') await db.deleteFrom('lease').execute();
}

/** Whether a process is doing the periodic work, according to this row of `lease`. */
export const isPeriodicWork = (lease: { name: string; until: number }, now: number): boolean =>
  lease.name === ('periodic work' satisfies LeaseName) && lease.until >= now;

async function takeLease({ db }: Database, name: LeaseName): Promise<boolean> {
  const now = Date.now();
  const until = now + leaseMs;
  const taken = await db
    .insertInto('lease')
    .values({ name, holder, until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, until })
        .where(
          sql<boolean>`lease.until < ${now} or lease.until > ${until + maxClockSkewMs} or lease.holder = ${holder}`,
        ),
    )
    .executeTakeFirst();
  return taken.numInsertedOrUpdatedRows === 1n;
}
