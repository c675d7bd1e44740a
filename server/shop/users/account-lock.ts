import { ShopError } from '../../../contract/errors.ts';
import type { Engine, Tx } from '../../database/schema.ts';

export const accountDeleted = () => new ShopError('not_signed_in', 'This account has been deleted.');

/**
 * Keeps an account from being deleted until the transaction ends, so that it does not leave behind what the transaction writes.
 * On SQLite, there is one writer at a time. Throws 401 if the account is already deleted.
 */
export async function requireAccount(tx: Tx, engine: Engine, email: string): Promise<void> {
  const user = await tx
    .selectFrom('user')
    .select('id')
    .where('email', '=', email)
    .$if(engine === 'postgres', (users) => users.forKeyShare())
    .executeTakeFirst();
  if (!user) throw accountDeleted();
}

/** Locks an account that is to be deleted. Waits for all transactions that need it. Throws 401 if it is already deleted. */
export async function lockAccount(tx: Tx, engine: Engine, id: string) {
  const user = await tx
    .selectFrom('user')
    .select(['role', 'emailVerified'])
    .where('id', '=', id)
    .$if(engine === 'postgres', (users) => users.forUpdate())
    .executeTakeFirst();
  if (!user) throw accountDeleted();
  return { isAdmin: user.role === 'admin', isConfirmed: Boolean(user.emailVerified) };
}
