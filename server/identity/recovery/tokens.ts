import { createHash, randomBytes } from 'node:crypto';
import { hourMs } from '../../../contract/durations.ts';
import type { Database } from '../../database/database.ts';
import type { Db, Tx } from '../../database/schema.ts';

type TokenPurpose =
  | 'reset password'
  | 'confirm address'
  | 'change address'
  | 'undo address change'
  | 'confirm subscription';

export const tokenRowId = (purpose: TokenPurpose, key: string): string => `${purpose} ${key}`;

/**
 * Creates the token of a link in a message to an address, valid for an hour by default. It replaces an earlier token with the same
 * purpose and `key`. By default, the key is the address. Only the token's hash is stored, so neither the database nor a copy of it
 * contains a link that works.
 */
export async function issueToken(
  { db }: Database,
  purpose: TokenPurpose,
  email: string,
  { key = email, lifetimeMs = hourMs } = {},
): Promise<string> {
  const { token, identifier } = createToken(purpose);
  const now = Date.now();
  const row = {
    identifier,
    value: email,
    expiresAt: new Date(now + lifetimeMs),
    updatedAt: new Date(now),
  };
  await db
    .insertInto('verification')
    .values({ id: tokenRowId(purpose, key), createdAt: new Date(now), ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
  return token;
}

/** A new token, and its hash for the column `identifier`. */
export function createToken(purpose: TokenPurpose): { token: string; identifier: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, identifier: hashToken(purpose, token) };
}

/** The row of a token that is still valid. `value` is the address to which it was sent; to undo a change, the user's id. */
export const findToken = (db: Db, purpose: TokenPurpose, token: string) =>
  db
    .selectFrom('verification')
    .select(['id', 'value'])
    .where('identifier', '=', hashToken(purpose, token))
    .where('expiresAt', '>', new Date())
    .executeTakeFirst();

/**
 * Like `findToken`, but deletes the token: only one of several simultaneous requests finds it. With `key`, finds only a
 * token that was issued with this key.
 */
export const consumeToken = (tx: Tx, purpose: TokenPurpose, token: string, key?: string) =>
  tx
    .deleteFrom('verification')
    .where('identifier', '=', hashToken(purpose, token))
    .$if(key !== undefined, (tokens) => tokens.where('id', '=', tokenRowId(purpose, key ?? '')))
    .where('expiresAt', '>', new Date())
    .returning(['id', 'value', 'createdAt'])
    .executeTakeFirst();

export async function deleteToken(db: Db | Tx, purpose: TokenPurpose, key: string): Promise<void> {
  await db.deleteFrom('verification').where('id', '=', tokenRowId(purpose, key)).execute();
}

/** The token has 256 random bits, so a fast hash is enough. */
const hashToken = (purpose: TokenPurpose, token: string): string =>
  createHash('sha256').update(`${purpose} ${token}`).digest('base64url');
