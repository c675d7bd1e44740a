import { type RawBuilder, sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import { matchPrefix } from '../../database/prefixes.ts';
import type { Engine, Tx } from '../../database/schema.ts';
import { parsePurchaseNumber } from '../orders/purchase-number.ts';

/** Throws 404. */
export async function getUser(tx: Tx, email: string): Promise<{ id: string; name: string }> {
  const user = await tx
    .selectFrom('user')
    .select(['id', 'name'])
    .where('email', '=', email)
    .executeTakeFirst();
  if (!user) throw new ShopError('not_found', 'There is no account with that email address.');
  return user;
}

/** The indexed expressions of migration 014. */
const indexed: Record<Engine, RawBuilder<string>[]> = {
  sqlite: [
    sql`email`,
    sql`lower(name)`,
    sql`lower(substr(name, instr(name, ' ') + 1))`,
    sql`lower(replace(name, rtrim(name, replace(name, ' ', '')), ''))`,
  ],
  postgres: [
    sql`email collate "C"`,
    sql`lower(name) collate "C"`,
    sql`lower(substr(name, strpos(name, ' ') + 1)) collate "C"`,
    sql`lower(substring(name from '[^ ]*$')) collate "C"`,
  ],
};

/** If more match, reading users in id order soon finds enough of them. */
const maxSortedMatches = 2000;

/** Conditions on `"user"`, each with its index. A user who meets any of them matches the search. */
export const matchUser = (engine: Engine, text: string) => matchPrefix(indexed[engine], text);

/**
 * Users whose email address or name, or the second or last word of whose name, starts with `text`, ignoring case, and the
 * customer of the purchase whose number it is. Returns those after the user with the id `after`, in id order.
 */
export async function searchUsers({ db, engine }: Database, text: string, after: string, limit: number) {
  const number = parsePurchaseNumber(text);
  const isCustomer = sql<boolean>`email = (select email from purchase where number = ${number})`;
  const conditions = [...matchUser(engine, text), ...(number ? [isCustomer] : [])];
  const users = db.selectFrom('user').selectAll().orderBy('id');
  const selects = conditions.map((condition) => sql`select id from "user" where ${condition}`);
  const { rows } = await sql<{ id: string }>`
    ${sql.join(selects, sql` union all `)} limit ${maxSortedMatches + 1}`.execute(db);
  if (rows.length > maxSortedMatches) {
    const matching = users.where('id', '>', after).where(sql<boolean>`(${sql.join(conditions, sql` or `)})`);
    return matching.limit(limit).execute();
  }
  const ids = [...new Set(rows.map(({ id }) => id))].filter((id) => id > after).sort();
  return ids.length === 0 ? [] : users.where('id', 'in', ids.slice(0, limit)).execute();
}
