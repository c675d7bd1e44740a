import { randomUUID } from 'node:crypto';
import type { Database } from './database/database.ts';

/** This process, among those that share the database. */
const holder = randomUUID();

/**
 * Takes work for this process alone, for `duration` milliseconds at most: when the process dies another one
 * takes it over. Gives the function that lets go, or undefined where another process has it.
 */
export async function takeLease(
  { db }: Database,
  name: string,
  duration: number,
): Promise<(() => Promise<void>) | undefined> {
  const now = Date.now();
  const taken = await db
    .insertInto('lease')
    .values({ name, holder, until: now + duration })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, until: now + duration })
        .where((eb) => eb.or([eb('lease.until', '<', now), eb('lease.holder', '=', holder)])),
    )
    .executeTakeFirst();
  if (taken.numInsertedOrUpdatedRows !== 1n) return undefined;
  return async () => {
    await db.deleteFrom('lease').where('name', '=', name).where('holder', '=', holder).execute();
  };
}
