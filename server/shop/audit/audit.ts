import { uuidv7 } from 'uuidv7';
import type { Act } from '../../../contract/audit.ts';
import { contract } from '../../../contract/contract.ts';
import type { Tx } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { Shop } from '../shop.ts';

/** The actor of changes made by a command on the server's machine. */
export const commandLine = 'the command line';

/** `of` is the id or email address of what was changed, `name` its name. */
type AuditEntry = { who: string; what: Act; of: string; name?: string };

/** Records an admin's action in the same transaction as the action itself. */
export async function writeAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  const row = { name: '', ...entry, id: uuidv7(), at: Date.now() };
  await tx.insertInto('audit').values(row).execute();
}

export function mountAudit(calls: Calls, { database: { db } }: Shop): void {
  route(calls, contract.listAudit, async ({ query }) => {
    const rows = await db
      .selectFrom('audit')
      .selectAll()
      .$if(query.after !== undefined, (entries) => entries.where('id', '<', query.after ?? ''))
      .orderBy('id', 'desc')
      .limit(toSqlLimit(query))
      .execute();
    // Name the columns: a newer release may have added others.
    return rows.map(({ id, at, who, what, of, name }) => {
      return { _id: id, at: new Date(at).toISOString(), who, what, of, name };
    });
  });
}
