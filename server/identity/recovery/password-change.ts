import { randomBytes } from 'node:crypto';
import { serialize } from 'hono/utils/cookie';
import type { Tx } from '../../database/schema.ts';
import { addMail } from '../../mail/outbox.ts';
import type { AuthOptions } from '../auth.ts';
import {
  cookiePrefix,
  hashPassword,
  isSecure,
  readCookie,
  sessionCookie,
  sessionSeconds,
  signToken,
  verifyPassword,
} from '../credentials.ts';
import { endAccess, lockUser } from '../session-endings.ts';
import { requireSession, requireSignedIn } from './address-change.ts';
import type { Handler, Visit } from './recovery.ts';

type Options = Pick<AuthOptions, 'config' | 'database' | 'secret' | 'passwordCost'>;

const reject = (code: string, message: string) => Response.json({ code, message }, { status: 400 });

/**
 * The call that changes the password, in Better Auth's format. Better Auth's own would replace whichever password it finds
 * after it has verified the old one: an intruder's request could undo the owner's reset.
 */
export function createPasswordChange({ config, database, secret, passwordCost }: Options): [string, Handler] {
  async function changePassword({ form, headers, viewer }: Visit): Promise<Response> {
    requireSignedIn(viewer);
    const [current, chosen] = [String(form.currentPassword), String(form.newPassword)];
    if (Math.max(chosen.length, current.length) > 128)
      return reject('PASSWORD_TOO_LONG', 'Password too long');
    const account = await database.db
      .selectFrom('account')
      .select(['id', 'password'])
      .where('userId', '=', viewer.id)
      .where('providerId', '=', 'credential')
      .executeTakeFirst();
    const verified = account?.password;
    if (!verified) return reject('CREDENTIAL_ACCOUNT_NOT_FOUND', 'Credential account not found');
    const wrong = () => reject('INVALID_PASSWORD', 'Invalid password');
    if (!(await verifyPassword({ hash: verified, password: current }))) return wrong();
    const hash = await hashPassword(chosen, passwordCost);
    const token = randomBytes(24).toString('base64url');
    const change = async (tx: Tx) => {
      // A reset also locks the user's row first. Otherwise, the two could deadlock.
      await lockUser(database, tx, viewer.id);
      await requireSession(tx, viewer);
      const now = new Date();
      const { numUpdatedRows } = await tx
        .updateTable('account')
        .set({ password: hash, updatedAt: now })
        .where('id', '=', account.id)
        .where('password', '=', verified)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return undefined;
      await endAccess(database, tx, viewer.id, viewer.session);
      const expiresAt = new Date(now.getTime() + sessionSeconds * 1000);
      await tx
        .updateTable('session')
        .set({ token, expiresAt, createdAt: now, updatedAt: now })
        .where('id', '=', viewer.session)
        .execute();
      const users = tx.selectFrom('user').selectAll().where('id', '=', viewer.id);
      const user = await users.executeTakeFirstOrThrow();
      if (config.sendsMail)
        await addMail(tx, [{ kind: 'password changed', recipient: user.email, about: user.id }]);
      return user;
    };
    const user = await database.transaction(change);
    if (!user) return wrong();
    const flags = {
      emailVerified: Boolean(user.emailVerified),
      twoFactorEnabled: Boolean(user.twoFactorEnabled),
    };
    const staysWithBrowser = readCookie(headers, `${cookiePrefix(config)}.dont_remember`) !== undefined;
    const cookie = serialize(sessionCookie(config), signToken(token, secret), {
      path: '/',
      httpOnly: true,
      secure: isSecure(config),
      sameSite: 'Lax',
      ...(staysWithBrowser ? {} : { maxAge: sessionSeconds }),
    });
    return Response.json({ token, user: { ...user, ...flags } }, { headers: { 'set-cookie': cookie } });
  }

  return ['/change-password', changePassword];
}
