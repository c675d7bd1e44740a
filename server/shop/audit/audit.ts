import { uuidv7 } from 'uuidv7';
import type { Act } from '../../../contract/admin/audit.ts';
import { contract } from '../../../contract/contract.ts';
import type { Tx } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { Shop } from '../shop.ts';

/** The actor of changes made by a command on the server's machine. */
export const commandLine = 'the command line';
/** The actor of changes that the shop makes by itself after a backup was restored. */
export const shopItself = 'the shop';

/** The values before and after, by field. */
export type Changes = Record<string, [before: string | number, after: string | number]>;

/** `of` is the id or email address of what was changed, `name` its name. */
type AuditEntry = { who: string; what: Act; of: string; name?: string; changes?: Changes };

/**
 * Longer details are cut, because entries are kept forever and listed up to a thousand at a time. An import changes hundreds
 * of values.
 */
const maxDetailsCharacters = 20_000;

/** Records an admin's action in the same transaction as the action itself. */
export async function writeAudit(tx: Tx, { changes = {}, ...entry }: AuditEntry): Promise<void> {
  const details = Object.entries(changes)
    .map(([field, [before, after]]) => toOneLine(`${field}: ${after} (was ${before})`))
    .join('\n');
  const isLong = details.length > maxDetailsCharacters;
  const shown = isLong ? `${details.slice(0, maxDetailsCharacters)}…` : details;
  const row = { name: '', ...entry, details: shown, id: uuidv7(), at: Date.now() };
  await tx.insertInto('audit').values(row).execute();
}

/** Joins lines: a value's second line could pass for another change, such as of a role. */
const toOneLine = (text: string) => text.replace(/\r\n|[\n\r\u2028\u2029]/g, ' ↵ ');

export function mountAudit(calls: Calls, { database: { db } }: Shop): void {
  route(calls, contract.listAudit, async ({ query }) => {
    const rows = await db
      .selectFrom('audit')
      // The order that the entry is about and its purchase, if they still exist.
      .leftJoin('order_line', 'order_line.id', 'audit.of')
      .leftJoin('purchase', 'purchase.id', 'order_line.purchase_id')
      .selectAll('audit')
      .select('purchase.number')
      .$if(query.actor !== '', (entries) => entries.where('who', '=', query.actor))
      .$if(query.target !== '', (entries) => entries.where('of', '=', query.target))
      .$if(query.after !== undefined, (entries) => entries.where('audit.id', '<', query.after ?? ''))
      .orderBy('audit.id', 'desc')
      .limit(toSqlLimit(query))
      .execute();
    // Name the columns: a newer release may have added others.
    return rows.map(({ id, at, who, what, of, number, name, details }) => {
      const target = { target: of, ...(number ? { number } : {}), name };
      return { _id: id, at: new Date(at).toISOString(), actor: who, action: what, ...target, details };
    });
  });
}
