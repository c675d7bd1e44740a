import { ShopError } from '../../contract/errors.ts';
import { email } from '../../contract/fields.ts';
import { consumeRateLimit, hourMs, type RateLimits } from '../http/rate-limit.ts';
import { addMail } from '../mail/outbox.ts';
import { replacePassword } from './accounts.ts';
import type { AuthOptions } from './auth.ts';
import { hashPassword } from './credentials.ts';
import { consumeToken, findToken } from './tokens.ts';

type Options = Pick<AuthOptions, 'config' | 'database' | 'passwordCost'> & { limits: RateLimits };
type Form = Record<string, unknown>;
type Handler = (form: Form, address: string) => Promise<Response>;

const done = () => Response.json({ status: true });
const wrongLink = () =>
  Response.json(
    { code: 'INVALID_TOKEN', message: 'This link has expired or has already been used.' },
    { status: 400 },
  );

/**
 * The calls for users who forgot their password, by path. Better Auth's own would look up the account during the request,
 * leave earlier links valid, and set the password before it ends the sessions, in separate transactions.
 */
export function createRecovery({ config, database, passwordCost, limits }: Options) {
  /** Known and unknown addresses take the same steps: the account is looked up when the message is sent. */
  async function requestReset(form: Form, address: string): Promise<Response> {
    if (!config.sendsMail) throw new ShopError('not_found', 'This shop sends no mail.');
    await consumeRateLimit(database, `account mail from ${address}`, limits.accountMessagesPerAddress, {
      windowMs: hourMs,
      message: 'Too many requests',
    });
    await addMail(database.db, [{ kind: 'reset password', recipient: email.parse(form.email), about: '' }]);
    return done();
  }

  async function resetPassword({ token, newPassword }: Form): Promise<Response> {
    const [sent, password] = [String(token), String(newPassword)];
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
      if (config.sendsMail) await addMail(tx, [{ kind: 'password changed', recipient, about: '' }]);
      return true;
    });
    return isReset ? done() : wrongLink();
  }

  return new Map<string, Handler>([
    ['/request-password-reset', requestReset],
    ['/reset-password', resetPassword],
  ]);
}
