import { APIError } from 'better-auth';
import type { Tx } from '../../database/schema.ts';
import { addMail } from '../../mail/outbox.ts';
import type { AuthOptions } from '../auth.ts';
import { endAccess, lockUser } from '../session-endings.ts';
import { deleteTwoFactor } from './two-factor.ts';

type Session = { id: string; userId: string };

/**
 * Turns two-factor sign-in on or off, and reports it in the same transaction. Better Auth has checked the code or the password,
 * but would make the change in several statements without a transaction. Throws 401 if the session has ended since then.
 */
export async function changeTwoFactor(
  { config, database }: Pick<AuthOptions, 'config' | 'database'>,
  session: Session | undefined,
  isOn: boolean,
): Promise<void> {
  async function change(tx: Tx, { id, userId }: Session): Promise<boolean> {
    await lockUser(database, tx, userId);
    // Otherwise an intruder could lock out an owner who is resetting the password.
    const user = await tx
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.userId')
      .select('user.email')
      .where('session.id', '=', id)
      .executeTakeFirst();
    if (!user) return false;
    const isChanged = isOn ? await turnOn(tx, userId) : await deleteTwoFactor(tx, userId);
    // Better Auth then replaces the kept session.
    await endAccess(database, tx, userId, id);
    const kind = isOn ? 'two-factor on' : 'two-factor off';
    if (isChanged && config.sendsMail) await addMail(tx, [{ kind, recipient: user.email, about: userId }]);
    return true;
  }

  const isOpen = session !== undefined && (await database.transaction((tx) => change(tx, session)));
  if (!isOpen)
    throw new APIError('UNAUTHORIZED', { code: 'SESSION_REQUIRED', message: 'Sign in and try again.' });
}

/** Returns false if two-factor sign-in was already on. Throws 400 if the secret has been deleted since the code was checked. */
async function turnOn(tx: Tx, userId: string): Promise<boolean> {
  const verified = await tx
    .updateTable('twoFactor')
    .set({ verified: true })
    .where('userId', '=', userId)
    .executeTakeFirst();
  if (verified.numUpdatedRows === 0n)
    // routes.ts adds the message.
    throw new APIError('BAD_REQUEST', { code: 'TOTP_NOT_ENABLED', message: '' });
  const enabled = await tx
    .updateTable('user')
    .set({ twoFactorEnabled: true })
    .where('id', '=', userId)
    .where('twoFactorEnabled', '=', false)
    .executeTakeFirst();
  return enabled.numUpdatedRows > 0n;
}
