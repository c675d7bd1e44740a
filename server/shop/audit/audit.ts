import type { Selectable } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { Act } from '../../../contract/audit.ts';
import type { Db, Schema, Tx } from '../../database/schema.ts';

/** The actor of changes made by a command on the server's machine. */
export const commandLine = 'the command line';

/**
 * Records an admin's action in the same transaction as the action itself. `of` is the id or e-mail address of what was
 * changed, `name` its name.
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

/** Newest first. */
export function listAuditEntries(
  db: Db,
  limit: number,
  after?: string,
): Promise<Selectable<Schema['audit']>[]> {
  const all = db.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit);
  return (after === undefined ? all : all.where('id', '<', after)).execute();
}
