import { sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Engine, Tx } from '../../database/schema.ts';
import type { Actor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import { lockAccount } from './account-lock.ts';
import { getUser } from './find-users.ts';

/**
 * Returns 1, or 0 if the user was already an admin. Throws 404 for an unknown address. With `requireConfirmed`, throws
 * `address_unconfirmed` if the user has not confirmed the address: a stranger may have signed up with it. The audit log records
 * `actor`.
 */
export async function makeAdmin(
  tx: Tx,
  email: string,
  actor: Actor,
  { requireConfirmed = false } = {},
): Promise<number> {
  const promoted = await tx
    .updateTable('user')
    .set({ role: 'admin' })
    .where('email', '=', email)
    .where('role', 'is', null)
    .$if(requireConfirmed, (users) => users.where('emailVerified', '=', true))
    .returning(['id', 'name'])
    .executeTakeFirst();
  if (promoted) {
    await writeAudit(tx, {
      ...actor,
      action: 'makeAdmin',
      target: promoted.id,
      name: promoted.name,
      changes: { role: ['customer', 'admin'] },
    });
    return 1;
  }
  const { name, role } = await getUser(tx, email);
  if (requireConfirmed && role === null)
    throw new ShopError(
      'address_unconfirmed',
      `${name} has not confirmed ${email}, so the account may be somebody else’s. Ask your colleague to confirm the address in their profile.`,
    );
  return 0;
}

/** Returns 1, or 0 if the user is no admin. Throws 404 for an unknown address; `last_admin` if no other admin is left. */
export function removeAdmin(database: Database, email: string, actor: Actor): Promise<number> {
  return database.transaction(async (tx) => {
    const admins = await lockAdmins(tx, database.engine);
    const admin = admins.find((one) => one.email === email);
    if (!admin) {
      await getUser(tx, email);
      return 0;
    }
    if (admins.length === 1)
      throw new ShopError('last_admin', 'The shop needs an admin: make someone else an admin first.');
    await tx.updateTable('user').set({ role: null }).where('id', '=', admin.id).execute();
    await writeAudit(tx, {
      ...actor,
      action: 'removeAdmin',
      target: admin.id,
      name: admin.name,
      changes: { role: ['admin', 'customer'] },
    });
    return 1;
  });
}

/**
 * Locks an account that is to be deleted (`lockAccount`). Throws `last_admin` if it is the account of the last admin; 401 if it is
 * already deleted.
 */
export async function lockAccountToDelete(tx: Tx, engine: Engine, userId: string) {
  // Lock the admins first, as every other transaction that locks admins does.
  const admins = await lockAdmins(tx, engine);
  const account = await lockAccount(tx, engine, userId);
  if (account.isAdmin && !admins.some(({ id }) => id !== userId))
    throw new ShopError(
      'last_admin',
      'You are the last admin, and the shop needs one: make someone else an admin first.',
    );
  return account;
}

/**
 * Locks all admins. Otherwise, on PostgreSQL, two admins could demote each other at the same time. Always locks in the order of
 * their ids, so that two transactions cannot deadlock.
 */
function lockAdmins(tx: Tx, engine: Engine): Promise<{ id: string; email: string; name: string }[]> {
  return tx
    .selectFrom('user')
    .select(['id', 'email', 'name'])
    .where('role', '=', sql.lit('admin'))
    .orderBy('id')
    .$if(engine === 'postgres', (admins) => admins.forUpdate())
    .execute();
}
