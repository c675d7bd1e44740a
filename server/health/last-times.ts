import type { Db } from '../database/database.ts';
import { skew } from '../lease.ts';

/** What is remembered of when it last happened. */
export type Happening = 'webhook' | 'webhook of a payment' | 'paid' | 'periodic work' | 'backup';

/** Notes when each of these last happened; an earlier time never replaces a later one. */
export async function writeLastTimes(db: Db, times: Map<Happening, number>): Promise<void> {
  // In one order everywhere, so that no two processes wait for one another.
  const values = [...times].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, at]) => ({ name, at }));
  if (values.length === 0) return;
  await db
    .insertInto('last_time')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((eb) => ({ at: eb.ref('excluded.at') }))
        .where((eb) =>
          eb.or([eb('last_time.at', '<', eb.ref('excluded.at')), eb('last_time.at', '>', Date.now() + skew)]),
        ),
    )
    .execute();
}

/** When each of them last happened, as on the wire; null where it never did. */
export async function readLastTimes(db: Db): Promise<(name: Happening) => string | null> {
  const rows = await db.selectFrom('last_time').selectAll().orderBy('name').limit(100).execute();
  const times = new Map(rows.map(({ name, at }) => [name, at]));
  return (name) => {
    const at = times.get(name);
    return at === undefined ? null : new Date(at).toISOString();
  };
}
