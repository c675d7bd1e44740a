import { ShopError } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Tx } from '../../database/schema.ts';
import { addMail } from '../../mail/outbox.ts';
import { isFree, undoRowId } from './former-addresses.ts';

/** A change of an account's email address. */
export type AddressMove = {
  user: { id: string; name: string; role: string | null; createdAt: Date | string; wasConfirmed: boolean };
  from: string;
  to: string;
};

/** Changes the address in everything that belongs to the user. */
export type MoveAddress = (tx: Tx, move: AddressMove) => Promise<void>;

type Options = { database: Database; moveAddress: MoveAddress };

/** Returns the former address, or undefined if the account has been deleted. Throws 409 if the new address is taken. */
export async function replaceAddress(
  { database, moveAddress }: Options,
  tx: Tx,
  userId: string,
  to: string,
): Promise<{ email: string; wasConfirmed: boolean } | undefined> {
  const user = await tx
    .selectFrom('user')
    .select(['id', 'name', 'role', 'email', 'emailVerified', 'createdAt'])
    .where('id', '=', userId)
    .$if(database.engine === 'postgres', (users) => users.forUpdate())
    .executeTakeFirst();
  if (!user) return undefined;
  const { email: from, emailVerified, ...owner } = user;
  const wasConfirmed = Boolean(emailVerified);
  if (!(await isFree(tx, to, userId))) throw taken();
  await tx
    .updateTable('user')
    .set({ email: to, emailVerified: true, updatedAt: new Date() })
    .where('id', '=', userId)
    .execute();
  // Delete the links sent to the replaced address, another requested change, and the undo row of the address that is now in use.
  await tx
    .deleteFrom('verification')
    .where('id', 'in', [
      `reset password ${from}`,
      `confirm address ${from}`,
      `change address ${userId}`,
      undoRowId(to),
    ])
    .execute();
  if (from !== to) await moveAddress(tx, { user: { ...owner, wasConfirmed }, from, to });
  return { email: from, wasConfirmed };
}

/**
 * Restores a former address of an account. The caller replaces the password and revokes the links of other former addresses.
 * Returns false if the account has been deleted. Throws 409 if the former address is taken.
 */
export async function restoreAddress(
  options: Options & { sendsMail: boolean },
  tx: Tx,
  userId: string,
  to: string,
): Promise<boolean> {
  const from = await replaceAddress(options, tx, userId, to);
  if (from === undefined) return false;
  if (from.email !== to && options.sendsMail)
    await addMail(tx, [{ kind: 'address changed', recipient: from.email, about: userId }]);
  return true;
}

export const taken = () =>
  new ShopError('conflict', 'There is already an account with this email address. Nothing was changed.');
