import { type RawBuilder, sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import { parsePurchaseNumber } from '../../../contract/orders/purchase-number.ts';
import type { Database } from '../../database/database.ts';
import { startsWith } from '../../database/prefixes.ts';
import type { Db, Engine, Tx } from '../../database/schema.ts';
import { type Match, matchWords } from '../../database/word-match.ts';

/** Throws 404 for an unknown address. */
export async function getUser(
  tx: Tx,
  email: string,
): Promise<{ id: string; name: string; role: string | null }> {
  const user = await tx
    .selectFrom('user')
    .select(['id', 'name', 'role'])
    .where('email', '=', email)
    .executeTakeFirst();
  if (!user) throw new ShopError('not_found', 'There is no account with that email address.');
  return user;
}

/** The id of the user with an email address. */
export async function findUserId(db: Db, email: string): Promise<string | undefined> {
  const user = await db.selectFrom('user').select('id').where('email', '=', email).executeTakeFirst();
  return user?.id;
}

/** Users whose email address starts with `text`, or whose name has, for each word of `text`, a word that starts with it. */
export function matchUser(engine: Engine, text: string): Match {
  const bytes = sql.raw(engine === 'postgres' ? ' collate "C"' : '');
  const isAddress = startsWith(sql`account.email${bytes}`, text.toLowerCase());
  const ids = sql`select id from "user" as account where ${isAddress}`;
  const hasAddress = (id: RawBuilder<unknown>) =>
    sql<boolean>`(select count(*) from "user" as account where account.id = ${id} and ${isAddress}) > 0`;
  const named = matchWords('user', text);
  if (!named) return { ids, hasId: hasAddress };
  return {
    ids: sql`${ids} union all ${named.ids}`,
    hasId: (id) => sql`(${hasAddress(id)} or ${named.hasId(id)})`,
  };
}

/** The most matches that are sorted. If there are more, reading users in id order soon finds enough of them. */
const maxSortedMatches = 2000;

/**
 * Users who match `text`, and the customer of the purchase with that number. Returns the users in id order, starting after the id
 * `after`.
 */
export async function searchUsers({ db, engine }: Database, text: string, after: string, limit: number) {
  const number = parsePurchaseNumber(text);
  const { ids, hasId } = matchUser(engine, text);
  const customer = sql`select user_id as id from purchase where number = ${number} and user_id is not null`;
  const users = db.selectFrom('user').selectAll().orderBy('id');
  const { rows } = await sql<{ id: string }>`
    select id from (${number ? sql`${ids} union all ${customer}` : ids} limit ${maxSortedMatches + 1}) as matches`.execute(
    db,
  );
  if (rows.length > maxSortedMatches) {
    const isUser = hasId(sql`"user".id`);
    const isCustomer = sql<boolean>`"user".id = (${customer})`;
    const isMatch = number ? sql<boolean>`(${isUser} or ${isCustomer})` : isUser;
    return users.where('id', '>', after).where(isMatch).limit(limit).execute();
  }
  const found = [...new Set(rows.map(({ id }) => id))].filter((id) => id > after).sort();
  return found.length === 0 ? [] : users.where('id', 'in', found.slice(0, limit)).execute();
}
