import { sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import { executePrepared } from '../../database/prepared-statements.ts';
import type { Engine, Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';

const accountDeleted = () => new ShopError('not_signed_in', 'This account has been deleted.');

/** Throws 409 for a user with an unconfirmed address: anyone can sign up with someone else's. */
export function requireConfirmedAddress({ emailVerified }: SessionUser): void {
  if (!emailVerified)
    throw new ShopError('address_unconfirmed', 'Confirm your email address on your account page first.');
}

/**
 * Keeps an account from being deleted until the transaction ends, so that no row of the transaction outlives its account. On
 * SQLite, there is one writer at a time. Throws 401 if the account is already deleted.
 */
export async function requireAccount(tx: Tx, engine: Engine, userId: string): Promise<void> {
  const query = tx
    .selectFrom('user')
    .select('id')
    .where('id', '=', userId)
    .$if(engine === 'postgres', (users) => users.forKeyShare());
  const { rows } = await executePrepared(tx, query.compile());
  if (rows.length === 0) throw accountDeleted();
}

/**
 * Locks a customer's account until the transaction ends, so that limits per customer are checked one request at a time. Throws 401
 * if the account is already deleted.
 */
export async function lockCustomer(tx: Tx, userId: string): Promise<void> {
  // Updating a column to itself is the row lock that both engines share.
  const { numAffectedRows } = await executePrepared(
    tx,
    sql`update "user" set email = email where id = ${userId}`.compile(tx),
  );
  if (numAffectedRows !== 1n) throw accountDeleted();
}

/**
 * Locks an account that is to be deleted. Waits for all transactions that need the account. Returns its current address, which may
 * have changed since the request began. Throws 401 if the account is already deleted.
 */
export async function lockAccount(tx: Tx, engine: Engine, id: string) {
  const user = await tx
    .selectFrom('user')
    .select(['email', 'role', 'emailVerified'])
    .where('id', '=', id)
    .$if(engine === 'postgres', (users) => users.forUpdate())
    .executeTakeFirst();
  if (!user) throw accountDeleted();
  return { email: user.email, isAdmin: user.role === 'admin', isConfirmed: Boolean(user.emailVerified) };
}
