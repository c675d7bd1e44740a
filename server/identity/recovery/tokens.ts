import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import type { Db, Tx } from '../../database/schema.ts';

type TokenPurpose = 'reset password' | 'confirm address';

const lifetimeMs = 60 * 60_000;

/**
 * Creates the token of a link in a message to an address, valid for an hour. It replaces an earlier one. Only its hash is
 * stored, so neither the database nor a copy of it contains a link that works.
 */
export async function issueToken({ db }: Database, purpose: TokenPurpose, email: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const now = Date.now();
  const row = {
    identifier: hashToken(purpose, token),
    ...{ value: email, expiresAt: new Date(now + lifetimeMs), updatedAt: new Date(now) },
  };
  await db
    .insertInto('verification')
    .values({ id: `${purpose} ${email}`, createdAt: new Date(now), ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
  return token;
}

/** The address to which a token was sent, if it is still valid. */
export async function findToken(db: Db, purpose: TokenPurpose, token: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('verification')
    .select('value')
    .where('identifier', '=', hashToken(purpose, token))
    .where('expiresAt', '>', new Date())
    .executeTakeFirst();
  return row?.value;
}

/** Like `findToken`, but deletes the token: only one of several simultaneous requests finds it. */
export async function consumeToken(
  tx: Tx,
  purpose: TokenPurpose,
  token: string,
): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('verification')
    .where('identifier', '=', hashToken(purpose, token))
    .where('expiresAt', '>', new Date())
    .returning('value')
    .executeTakeFirst();
  return row?.value;
}

/** The token has 256 random bits, so a fast hash is enough. */
const hashToken = (purpose: TokenPurpose, token: string): string =>
  createHash('sha256').update(`${purpose} ${token}`).digest('base64url');
