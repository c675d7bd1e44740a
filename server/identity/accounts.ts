import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { Database } from '../database/database.ts';
import { executePrepared } from '../database/prepared-statements.ts';
import type { Tx } from '../database/schema.ts';
import type { SessionUser } from '../http/request-context.ts';
import { hashPassword } from './credentials.ts';
import { deletePasskeys } from './passkeys/passkeys.ts';
import { denyUndo } from './recovery/former-addresses.ts';
import { endAccess, lockUser } from './session-endings.ts';

/** A random password of 128 bits, for the operator to pass on. */
export const generatePassword = (): string => randomBytes(16).toString('base64url');

/** Further writes in the same transaction. */
type AlsoWrite = (tx: Tx) => Promise<void>;

/**
 * Creates an account, as Better Auth does at sign-up. `email` must be in lower case. Returns false and changes nothing if the
 * address is taken.
 */
export async function createAccount(
  database: Database,
  { email, name, password, role }: { email: string; name: string; password: string; role: 'admin' | null },
  alsoWrite?: (tx: Tx, id: string) => Promise<void>,
): Promise<boolean> {
  const hash = await hashPassword(password);
  return database.transaction(async (tx) => {
    const id = uuidv7();
    const now = new Date();
    const inserted = await tx
      .insertInto('user')
      .values({ id, email, name, role, emailVerified: false, createdAt: now, updatedAt: now })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows !== 1n) return false;
    await storePassword(tx, id, hash);
    await alsoWrite?.(tx, id);
    return true;
  });
}

/**
 * Sets a password for a person whom the operator trusts, and revokes every other way in. `replacePassword` revokes most of these.
 * `setPassword` also revokes Google and passkeys, which an intruder may have added, and links that undo a change of address.
 */
export async function setPassword(
  database: Database,
  userId: string,
  password: string,
  alsoWrite?: AlsoWrite,
): Promise<void> {
  const hash = await hashPassword(password);
  await database.transaction(async (tx) => {
    await lockUser(database, tx, userId);
    await alsoWrite?.(tx);
    // Call `denyUndo` first: it would delete a row that `replacePassword` inserts (in `endAccess`).
    await denyUndo(tx, userId);
    await replacePassword(database, tx, userId, hash);
    await unlinkGoogle(tx, userId);
    await deletePasskeys(tx, userId);
  });
}

/** Sets a user's password and ends what `endAccess` ends. Two-factor sign-in stays on. */
export async function replacePassword(
  database: Pick<Database, 'engine'>,
  tx: Tx,
  userId: string,
  hash: string,
): Promise<void> {
  await storePassword(tx, userId, hash);
  await endAccess(database, tx, userId);
}

/** With `keepFirst`, the Google account with which the user signed up stays. */
export async function unlinkGoogle(tx: Tx, userId: string, { keepFirst = false } = {}): Promise<void> {
  await tx
    .deleteFrom('account')
    .where('userId', '=', userId)
    .where('providerId', '<>', 'credential')
    .$if(keepFirst, (accounts) =>
      accounts.where('id', '>', ({ selectFrom }) =>
        selectFrom('account as first')
          .select(({ fn }) => fn.min('first.id').as('id'))
          .where('first.userId', '=', userId),
      ),
    )
    .execute();
}

/** Finds the account with an email address. `description` says when it was created and how its user signs in. */
export async function describeAccount(database: Database, email: string) {
  const user = await database.db
    .selectFrom('user')
    .select(['id', 'name', 'createdAt'])
    .where('email', '=', email)
    .executeTakeFirst();
  if (!user) return undefined;
  const methods: string[] = (await listSignInMethods(database, user.id)).map((method) =>
    method === 'password' ? 'a password' : 'Google',
  );
  const passkeys = database.db.selectFrom('passkey').select('id').where('userId', '=', user.id);
  if (await passkeys.executeTakeFirst()) methods.push('passkeys');
  const created = new Date(user.createdAt).toISOString().slice(0, 16).replace('T', ' at ');
  const description = `The account was created on ${created} UTC and signs in with ${new Intl.ListFormat('en-GB').format(methods)}.`;
  return { id: user.id, name: user.name, description };
}

export async function listSignInMethods({ db }: Database, userId: string): Promise<string[]> {
  const query = sql<{ providerId: string }>`
    select "providerId" from account where "userId" = ${userId} order by id`;
  const { rows } = await executePrepared(db, query.compile(db));
  return rows.map(({ providerId }) => nameSignInMethod(providerId));
}

/** Better Auth names passwords `credential`. */
export const nameSignInMethod = (providerId: string): string =>
  providerId === 'credential' ? 'password' : providerId;

async function storePassword(tx: Tx, userId: string, hash: string): Promise<void> {
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
    .onConflict((conflict) =>
      conflict.columns(['providerId', 'accountId']).doUpdateSet({ password: hash, updatedAt: now }),
    )
    .execute();
}

/** An entry's `email` field, which only its author and admins may see. */
export function privateEmail({ email }: { email: string }, viewer?: SessionUser): { email?: string } {
  return viewer?.role === 'admin' || viewer?.email === email ? { email } : {};
}
