import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import type { Database } from '../database/database.ts';
import type { Tx } from '../database/schema.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

/** A password that nobody guesses, to be told once. */
export function generatePassword(): string {
  return randomBytes(16).toString('base64url');
}

/** What is written in the same transaction. */
type Also = (tx: Tx) => Promise<void>;

/**
 * Makes a person who signs in with a password, as Better Auth does at sign-up. `email` in lower case. False
 * where somebody has that e-mail already: nothing is changed then.
 */
export async function createAccount(
  database: Database,
  { email, name, password, role }: { email: string; name: string; password: string; role: 'admin' | null },
  also?: Also,
): Promise<boolean> {
  const hash = await hashPassword(password);
  return database.transaction(async (tx) => {
    const id = uuidv7();
    const now = new Date();
    const made = await tx
      .insertInto('user')
      .values({ id, email, name, role, emailVerified: false, createdAt: now, updatedAt: now })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .executeTakeFirst();
    if (made.numInsertedOrUpdatedRows !== 1n) return false;
    await insertPassword(tx, id, hash);
    await also?.(tx);
    return true;
  });
}

/**
 * Gives a person a new password, also where they had none, and ends all their sessions and other ways in: who
 * had got into the account may have linked a Google account of their own.
 */
export async function setPassword(
  database: Database,
  userId: string,
  password: string,
  also?: Also,
): Promise<void> {
  const hash = await hashPassword(password);
  await database.transaction(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('account')
      .set({ password: hash, updatedAt: new Date() })
      .where('userId', '=', userId)
      .where('providerId', '=', 'credential')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) await insertPassword(tx, userId, hash);
    await tx
      .deleteFrom('account')
      .where('userId', '=', userId)
      .where('providerId', '<>', 'credential')
      .execute();
    await tx.deleteFrom('session').where('userId', '=', userId).execute();
    await also?.(tx);
  });
}

/** Who has an account with an e-mail, and a sentence on when and how it was made. */
export async function describeAccount(
  { db }: Database,
  email: string,
): Promise<{ id: string; name: string; description: string } | undefined> {
  const user = await db
    .selectFrom('user')
    .select(['id', 'name', 'createdAt'])
    .where('email', '=', email)
    .executeTakeFirst();
  if (!user) return undefined;
  const ways = await db.selectFrom('account').select('providerId').where('userId', '=', user.id).execute();
  const names = ways
    .map(({ providerId }) => (providerId === 'credential' ? 'a password' : providerId))
    .join(' and ');
  const made = new Date(user.createdAt).toISOString().slice(0, 16).replace('T', ' at ');
  const description = `The account was made on ${made} UTC and signs in with ${names}.`;
  return { id: user.id, name: user.name, description };
}

/** Those of some people, by e-mail, whose password is this one. */
export async function findAccountsWithPassword(
  { db }: Database,
  emails: string[],
  password: string,
): Promise<{ id: string; email: string }[]> {
  const rows = await db
    .selectFrom('user')
    .innerJoin('account', 'account.userId', 'user.id')
    .select(['user.id', 'user.email', 'account.password'])
    .where('account.providerId', '=', 'credential')
    .where('user.email', 'in', emails)
    .orderBy('user.email')
    .execute();
  const found: { id: string; email: string }[] = [];
  // One by one: each takes a whole processor for a while, and a shop that starts has use for the other.
  for (const { id, email, password: hash } of rows)
    if (hash && (await verifyPassword({ hash, password }))) found.push({ id, email });
  return found;
}

async function insertPassword(tx: Tx, userId: string, hash: string): Promise<void> {
  const now = new Date();
  await tx
    .insertInto('account')
    .values({
      id: uuidv7(),
      accountId: userId,
      providerId: 'credential',
      userId,
      password: hash,
      createdAt: now,
      updatedAt: now,
    })
    .execute();
}
