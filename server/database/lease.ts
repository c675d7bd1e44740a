import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

/** Identifies this process among those that share the database. */
const holder = randomUUID();

/** How long a lease outlives a process that died, and how often a live one renews it. */
const leaseMs = 60_000;
const renewalMs = 20_000;
/** A time further ahead than this was written before the clock was set back. */
const maxClockSkewMs = 5 * 60_000;

const name = 'periodic work';

/**
 * Runs the periodic work unless another process holds its lease, and holds the lease until the work has finished. If the
 * process dies, another one can take the lease within a minute.
 */
export async function withLease(database: Database, work: () => Promise<void>): Promise<void> {
  if (!(await takeLease(database))) return;
  // If a renewal fails, the next one retries. At worst two processes do the work, which is harmless.
  const timer = setInterval(() => void takeLease(database).catch(() => undefined), renewalMs).unref();
  try {
    await work();
  } finally {
    clearInterval(timer);
    await database.db.deleteFrom('lease').where('name', '=', name).where('holder', '=', holder).execute();
  }
}

/** Whether a live process holds the lease. */
export async function isLeased({ db }: Database): Promise<boolean> {
  const lease = await db.selectFrom('lease').select('until').where('name', '=', name).executeTakeFirst();
  return lease !== undefined && lease.until >= Date.now();
}

/** Takes the lease if it is free, expired or already ours. */
async function takeLease({ db }: Database): Promise<boolean> {
  const now = Date.now();
  const until = now + leaseMs;
  const taken = await db
    .insertInto('lease')
    .values({ name, holder, until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, until })
        .where((eb) =>
          eb.or([
            eb('lease.until', '<', now),
            eb('lease.until', '>', until + maxClockSkewMs),
            eb('lease.holder', '=', holder),
          ]),
        ),
    )
    .executeTakeFirst();
  return taken.numInsertedOrUpdatedRows === 1n;
}
