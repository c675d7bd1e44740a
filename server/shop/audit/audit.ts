import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { Act } from '../../../contract/admin/audit.ts';
import { contract } from '../../../contract/contract.ts';
import type { Db, Tx } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { Shop } from '../shop.ts';
import { findUserId } from '../users/find-users.ts';
import type { Actor } from './actor.ts';

/** The values before and after, by field. */
export type Changes = Record<string, [before: string | number, after: string | number]>;

/** `target` is the id of what was changed, `name` its name. `quantity` is the number of pieces, if the order's history shows it. */
type NewEntry = Actor & {
  action: Act;
  target: string;
  name?: string;
  changes?: Changes;
  quantity?: number;
};

/**
 * Longer details are cut, because entries are kept forever and listed up to a thousand at a time. An import changes hundreds
 * of values.
 */
const maxDetailsCharacters = 20_000;

/** Records an admin's action in the same transaction as the action itself. */
export async function writeAudit(tx: Tx, { changes = {}, ...entry }: NewEntry): Promise<void> {
  const details = Object.entries(changes)
    .map(([field, [before, after]]) => toOneLine(`${field}: ${after} (was ${before})`))
    .join('\n');
  const isLong = details.length > maxDetailsCharacters;
  const shown = isLong ? `${details.slice(0, maxDetailsCharacters)}…` : details;
  const row = { name: '', ...entry, details: shown, id: uuidv7(), created_at: Date.now() };
  await tx.insertInto('audit').values(row).execute();
}

/** Joins lines: a value's second line could pass for another change, such as of a role. */
const toOneLine = (text: string) => text.replace(/\r\n|[\n\r\u2028\u2029]/g, ' ↵ ');

/** For a query of `audit`: the admin's id, or the description of another actor. */
export const actorKey = sql<string>`coalesce(actor_id, actor)`;

/**
 * The id of the user who has this email address, if there is one; any other text is returned as it is. This is a separate query,
 * because PostgreSQL chooses an index by the value.
 */
const toUserId = async (db: Db, text: string): Promise<string> => (await findUserId(db, text)) ?? text;

export function mountAudit(calls: Calls, { database: { db } }: Shop): void {
  route(calls, contract.listAudit, async ({ query }) => {
    const actor = query.actor && (await toUserId(db, query.actor));
    const target = query.target && (await toUserId(db, query.target));
    const rows = await db
      .selectFrom('audit')
      // The order that the entry is about and its purchase, if they still exist.
      .leftJoin('order_line', 'order_line.id', 'audit.target')
      .leftJoin('purchase', 'purchase.id', 'order_line.purchase_id')
      .leftJoin('user', 'user.id', 'audit.target')
      .selectAll('audit')
      .select(['purchase.number', 'user.email'])
      .$if(actor !== '', (entries) => entries.where(actorKey, '=', actor))
      .$if(target !== '', (entries) => entries.where('target', '=', target))
      .$if(query.after !== undefined, (entries) => entries.where('audit.id', '<', query.after ?? ''))
      .orderBy('audit.id', 'desc')
      .limit(toSqlLimit(query))
      .execute();
    // Name the columns: a newer release may have added others.
    return rows.map(({ id, created_at, actor_id, actor, action, target, email, number, name, details }) => ({
      _id: id,
      at: new Date(created_at).toISOString(),
      actor,
      ...(actor_id === null ? {} : { actorId: actor_id }),
      action,
      target: email ?? target,
      ...(number ? { number } : {}),
      name,
      details,
    }));
  });
}
