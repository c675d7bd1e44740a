import type { Facts } from '../../contract/health.ts';
import type { Db } from '../database/database.ts';

const hour = 60 * 60_000;
const day = 24 * hour;
/** Of one kind and hour there is one row, and of kinds as many as the log has sentences. */
const mostRows = 2000;

/** What went wrong in one process since it last wrote it down, by the log's sentence. */
export type Failures = Map<string, { times: number; lastAt: number; requestId: string | null }>;

/** Adds them to what is there of this hour, from whichever process. */
export async function writeFailures(db: Db, failures: Failures): Promise<void> {
  // In one order everywhere, so that no two processes wait for one another.
  const values = [...failures]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, { times, lastAt, requestId }]) => ({
      hour: Math.floor(lastAt / hour),
      what,
      times,
      last_at: lastAt,
      request_id: requestId,
    }));
  if (values.length === 0) return;
  await db
    .insertInto('failure')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['hour', 'what']).doUpdateSet((eb) => ({
        times: eb('failure.times', '+', eb.ref('excluded.times')),
        last_at: eb.ref('excluded.last_at'),
        request_id: eb.ref('excluded.request_id'),
      })),
    )
    .execute();
}

/** The errors of the last day, by kind, the last ones first. */
export async function readErrors(db: Db, now: number): Promise<Facts['errors']> {
  const rows = await db
    .selectFrom('failure')
    .selectAll()
    .where('hour', '>=', Math.floor((now - day) / hour))
    .orderBy('hour', 'desc')
    .limit(mostRows)
    .execute();
  const kinds = new Map<string, { times: number; lastAt: number; requestId: string | null }>();
  for (const { what, times, last_at: lastAt, request_id: requestId } of rows) {
    const before = kinds.get(what);
    if (before) before.times += times;
    else kinds.set(what, { times, lastAt, requestId });
  }
  const sorted = [...kinds].toSorted(([, a], [, b]) => b.lastAt - a.lastAt);
  const written = sorted.map(([what, kind]) => ({
    what,
    ...kind,
    lastAt: new Date(kind.lastAt).toISOString(),
  }));
  return {
    count: sorted.reduce((sum, [, { times }]) => sum + times, 0),
    lastAt: written[0]?.lastAt ?? null,
    kinds: written.slice(0, shown),
  };
}

const shown = 10;

/** Forgets what is older than the page tells of. */
export async function sweepFailures(db: Db): Promise<void> {
  await db
    .deleteFrom('failure')
    .where('hour', '<', Math.floor((Date.now() - 2 * day) / hour))
    .execute();
}
