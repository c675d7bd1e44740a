import { ShopError } from '../../../contract/errors.ts';
import { typedEmail } from '../../../contract/fields.ts';
import type { Tx } from '../../database/schema.ts';
import type { RateLimits } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { addMail } from '../../mail/outbox.ts';
import { replacePassword, unlinkGoogle } from '../accounts.ts';
import type { AuthOptions } from '../auth.ts';
import { hashPassword } from '../credentials.ts';
import { deletePasskeys } from '../passkeys/passkeys.ts';
import { deleteTwoFactor } from '../two-factor/two-factor.ts';
import { type LinkPurpose, limitLinkRequests } from './mail-limits.ts';
import { consumeToken, findToken } from './tokens.ts';

type Options = Pick<AuthOptions, 'config' | 'database' | 'passwordCost'> & {
  limits: RateLimits;
  undoAddressChange: (tx: Tx, token: string) => Promise<string | undefined>;
};
export type Visit = {
  form: Record<string, unknown>;
  headers: Headers;
  address: string;
  viewer: SessionUser | undefined;
};
export type Handler = (visit: Visit) => Promise<Response>;

export const done = () => Response.json({ status: true });
export const wrongLink = () =>
  Response.json(
    { code: 'INVALID_TOKEN', message: 'This link has expired or has already been used.' },
    { status: 400 },
  );

/**
 * The calls that reset a password or confirm an email address, by path. Better Auth's own calls would look up the account during
 * the request, leave earlier links valid, and set the password before it ends the sessions, in separate transactions.
 */
export function createRecovery({ config, database, passwordCost, limits, undoAddressChange }: Options) {
  async function limitRequests(purpose: LinkPurpose, address: string, recipient: string): Promise<void> {
    if (!config.sendsMail) throw new ShopError('not_found', 'This shop sends no email.');
    await limitLinkRequests({ database, limits }, purpose, address, recipient);
  }

  /** Known and unknown addresses take the same steps: the account is looked up when the message is sent. */
  async function requestReset({ form, address }: Visit): Promise<Response> {
    const recipient = typedEmail.parse(form.email);
    await limitRequests('reset', address, recipient);
    await addMail(database.db, [{ kind: 'reset password', recipient, about: '' }]);
    return done();
  }

  /** Also accepts the token of a link that undoes a change of the address, and then first undoes this change. */
  async function resetPassword({ form }: Visit): Promise<Response> {
    const [sent, password] = [String(form.token), String(form.newPassword)];
    // Hash only for a valid token, and before the transaction.
    const isValid =
      (await findToken(database.db, 'reset password', sent)) ??
      (await findToken(database.db, 'undo address change', sent));
    if (!isValid) return wrongLink();
    const hash = await hashPassword(password, passwordCost);
    const isReset = await database.transaction(async (tx) => {
      const recipient =
        (await consumeToken(tx, 'reset password', sent))?.value ?? (await undoAddressChange(tx, sent));
      if (recipient === undefined) return false;
      const user = await tx
        .selectFrom('user')
        .select(['id', 'emailVerified', 'role'])
        .where('email', '=', recipient)
        .$if(database.engine === 'postgres', (users) => users.forUpdate())
        .executeTakeFirst();
      if (!user) return false;
      // A stranger may have signed up with this address and turned on two-factor sign-in, which would lock out the address's owner.
      // An admin's second factor stays: a mailbox alone must not open the shop, and the operator can reset it.
      const isStrangers = !user.emailVerified && user.role === null;
      const isTurnedOff = isStrangers && (await deleteTwoFactor(tx, user.id));
      // The message with the token has arrived, so the address is the user's.
      await tx
        .updateTable('user')
        .set({ emailVerified: true, updatedAt: new Date() })
        .where('id', '=', user.id)
        .execute();
      await replacePassword(database, tx, user.id, hash);
      // An intruder, or a stranger who signed up with the address, may have linked their own Google account to get in again.
      await unlinkGoogle(tx, user.id, { keepFirst: true });
      await deletePasskeys(tx, user.id);
      if (config.sendsMail) {
        await addMail(tx, [{ kind: 'password changed', recipient, about: user.id }]);
        if (isTurnedOff) await addMail(tx, [{ kind: 'two-factor off', recipient, about: user.id }]);
      }
      return true;
    });
    return isReset ? done() : wrongLink();
  }

  async function requestConfirmation({ address, viewer }: Visit): Promise<Response> {
    if (!viewer) throw new ShopError('not_signed_in', 'Sign in and try again.');
    if (viewer.emailVerified) return done();
    await limitRequests('confirm', address, viewer.email);
    await addMail(database.db, [{ kind: 'confirm address', recipient: viewer.email, about: '' }]);
    return done();
  }

  /**
   * Requires a session of the account. Otherwise, if a stranger has signed up with somebody else's address, its owner would, by
   * opening the link, confirm an account whose password the stranger knows.
   */
  async function confirmAddress({ form, viewer }: Visit): Promise<Response> {
    if (!viewer) throw new ShopError('not_signed_in', 'Sign in and try again.');
    const isConfirmed = await database.transaction(async (tx) => {
      const token = await consumeToken(tx, 'confirm address', String(form.token), viewer.email);
      if (!token) return false;
      const { numUpdatedRows } = await tx
        .updateTable('user')
        .set({ emailVerified: true, updatedAt: new Date() })
        .where('id', '=', viewer.id)
        .where('email', '=', viewer.email)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    });
    return isConfirmed ? done() : wrongLink();
  }

  return new Map<string, Handler>([
    ['/request-password-reset', requestReset],
    ['/reset-password', resetPassword],
    ['/send-verification-email', requestConfirmation],
    ['/verify-email', confirmAddress],
  ]);
}
