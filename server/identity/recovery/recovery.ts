import { ShopError } from '../../../contract/errors.ts';
import { email } from '../../../contract/fields.ts';
import { checkRateLimit, type RateLimits } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { addMail } from '../../mail/outbox.ts';
import { replacePassword, unlinkGoogle } from '../accounts.ts';
import type { AuthOptions } from '../auth.ts';
import { hashPassword } from '../credentials.ts';
import { limitMailRequests, nameRecipientLimit } from './mail-limits.ts';
import { consumeToken, findToken } from './tokens.ts';

type Options = Pick<AuthOptions, 'config' | 'database' | 'passwordCost'> & { limits: RateLimits };
type Visit = { form: Record<string, unknown>; address: string; viewer: SessionUser | undefined };
type Handler = (visit: Visit) => Promise<Response>;

const done = () => Response.json({ status: true });
const wrongLink = () =>
  Response.json(
    { code: 'INVALID_TOKEN', message: 'This link has expired or has already been used.' },
    { status: 400 },
  );

/**
 * The calls that reset a password or confirm an email address, by path. Better Auth's own would look up the
 * account during the request, leave earlier links valid, and set the password before it ends the sessions, in separate
 * transactions.
 */
export function createRecovery({ config, database, passwordCost, limits }: Options) {
  async function limitRequests(address: string): Promise<void> {
    if (!config.sendsMail) throw new ShopError('not_found', 'This shop sends no email.');
    await limitMailRequests({ database, limits }, address);
  }

  /** Known and unknown addresses take the same steps: the account is looked up when the message is sent. */
  async function requestReset({ form, address }: Visit): Promise<Response> {
    await limitRequests(address);
    await addMail(database.db, [{ kind: 'reset password', recipient: email.parse(form.email), about: '' }]);
    return done();
  }

  async function resetPassword({ form }: Visit): Promise<Response> {
    const [sent, password] = [String(form.token), String(form.newPassword)];
    // Hash only for a valid token, and before the transaction.
    if (!(await findToken(database.db, 'reset password', sent))) return wrongLink();
    const hash = await hashPassword(password, passwordCost);
    const isReset = await database.transaction(async (tx) => {
      const recipient = await consumeToken(tx, 'reset password', sent);
      if (recipient === undefined) return false;
      // The message with the token has arrived, so the address is the user's.
      const user = await tx
        .updateTable('user')
        .set({ emailVerified: true, updatedAt: new Date() })
        .where('email', '=', recipient)
        .returning('id')
        .executeTakeFirst();
      if (!user) return false;
      await replacePassword(tx, user.id, hash);
      // An intruder, or a stranger who signed up with the address, may have linked their own to get in again.
      await unlinkGoogle(tx, user.id, { keepFirst: true });
      if (config.sendsMail) await addMail(tx, [{ kind: 'password changed', recipient, about: '' }]);
      return true;
    });
    return isReset ? done() : wrongLink();
  }

  async function requestConfirmation({ address, viewer }: Visit): Promise<Response> {
    if (!viewer) throw new ShopError('not_signed_in', 'Sign in and try again.');
    if (viewer.emailVerified) return done();
    await limitRequests(address);
    const name = nameRecipientLimit(viewer.email);
    await checkRateLimit(database, name, limits.accountMessagesPerRecipient, 'Too many messages');
    await addMail(database.db, [{ kind: 'confirm address', recipient: viewer.email, about: '' }]);
    return done();
  }

  async function confirmAddress({ form }: Visit): Promise<Response> {
    const isConfirmed = await database.transaction(async (tx) => {
      const recipient = await consumeToken(tx, 'confirm address', String(form.token));
      if (recipient === undefined) return false;
      const { numUpdatedRows } = await tx
        .updateTable('user')
        .set({ emailVerified: true, updatedAt: new Date() })
        .where('email', '=', recipient)
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
