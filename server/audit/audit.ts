import type { Selectable } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { Act } from '../../contract/audit.ts';
import type { Db, Tx } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';

/** Who did what a command did: whoever has the machine. */
export const commandLine = 'the command line';

/**
 * Writes down what an admin does, in the transaction in which it is done: neither is there without the other.
 * `of` is the id or e-mail of what it was done to, `name` what that is called.
 */
export async function writeAudit(
  tx: Tx,
  entry: { who: string; what: Act; of: string; name?: string },
): Promise<void> {
  await tx
    .insertInto('audit')
    .values({ name: '', ...entry, id: uuidv7(), at: Date.now() })
    .execute();
}

/** What admins did, the newest first. */
export function selectAudit(db: Db, count: number, after?: string): Promise<Selectable<Schema['audit']>[]> {
  const all = db.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(count);
  return (after === undefined ? all : all.where('id', '<', after)).execute();
}
