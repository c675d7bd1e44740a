import { type RawBuilder, sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import { startsWith } from '../../database/prefixes.ts';
import type { Db, Engine, Tx } from '../../database/schema.ts';
import { toSearchText } from '../../database/search-text.ts';
import { parsePurchaseNumber } from '../orders/purchase-number.ts';

/** Throws 404. */
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

type UserMatch = {
  /** Selects the ids of the users who match, some of them twice. */
  ids: RawBuilder<unknown>;
  /** Whether an id is that of a user who matches. Scalar, because PostgreSQL would evaluate an `exists` for all rows. */
  hasId: (id: RawBuilder<unknown>) => RawBuilder<boolean>;
};

/**
 * Users whose email address starts with `text`, or whose name contains it at the start of a word. Names are compared without
 * accents and case, and punctuation separates their words.
 */
export function matchUser(engine: Engine, text: string): UserMatch {
  const bytes = sql.raw(engine === 'postgres' ? ' collate "C"' : '');
  const isAddress = startsWith(sql`account.email${bytes}`, text.toLowerCase());
  const ids = sql`select id from "user" as account where ${isAddress}`;
  const hasStart = (id: RawBuilder<unknown>) =>
    sql<boolean>`(select count(*) from "user" as account where account.id = ${id} and ${isAddress}) > 0`;
  const words = toSearchedName(text);
  if (words === '') return { ids, hasId: hasStart };
  const isName = startsWith(sql`words`, words);
  return {
    ids: sql`${ids} union all select user_id as id from searched_name where ${isName}`,
    hasId: (id) => sql`(${hasStart(id)} or
      (select count(*) from searched_name where searched_name.user_id = ${id} and ${isName}) > 0)`,
  };
}

/** Indexed characters of a name (`searched_name`). */
const maxNameLength = 60;

/** The start of a `searched_name`. Empty for text that can only be an email address. */
function toSearchedName(text: string): string {
  if (text.includes('@')) return '';
  const words = toSearchText(text).trimStart();
  // Punctuation ends the last word. Without it, the word may continue.
  const isOpen = toSearchText(text.replace(/\p{M}+$/u, '').slice(-1)) !== ' ';
  return [...(isOpen ? words.trimEnd() : words)].slice(0, maxNameLength).join('');
}

/** The most matches that are sorted. If there are more, reading users in id order soon finds enough of them. */
const maxSortedMatches = 2000;

/**
 * Users who match `text`, and the customer of the purchase with that number. Returns those after the user with the id `after`,
 * in id order.
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
