import { ShopError } from '../../../contract/errors.ts';
import { newEmail } from '../../../contract/fields.ts';
import { isDuplicate } from '../../database/errors.ts';
import type { Tx } from '../../database/schema.ts';
import type { FairQueue, RateLimits } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { addMail } from '../../mail/outbox.ts';
import type { AuthOptions } from '../auth.ts';
import { reauthenticate } from '../reauthenticate.ts';
import { endAccess, lockUser } from '../session-endings.ts';
import { allowUndo, denyLaterUndo, readUndoRowId } from './former-addresses.ts';
import { limitLinkRequests } from './mail-limits.ts';
import { done, type Handler, type Visit, wrongLink } from './recovery.ts';
import { type MoveAddress, replaceAddress, restoreAddress, taken } from './replace-address.ts';
import { consumeToken } from './tokens.ts';

type Options = Pick<AuthOptions, 'config' | 'database'> & {
  limits: RateLimits;
  passwordQueue: FairQueue;
  moveAddress: MoveAddress;
};

/** The calls that change an account's email address, and the function that undoes a change. */
export function createAddressChange(options: Options) {
  const { config, database } = options;

  /** Takes the same steps for every address: whether it is taken is looked up when the message is sent. */
  async function requestChange({ form, address, viewer }: Visit): Promise<Response> {
    requireSignedIn(viewer);
    if (!config.sendsMail) throw new ShopError('not_found', 'This shop sends no email.');
    await reauthenticate(options, viewer, { password: String(form.password ?? ''), address });
    const recipient = newEmail.parse(form.newEmail);
    if (recipient === viewer.email)
      throw new ShopError('invalid', 'This is already the email address of your account.');
    await limitLinkRequests(options, 'change', address, recipient);
    await addMail(database.db, [{ kind: 'change address', recipient, about: viewer.id }]);
    return done();
  }

  /**
   * Requires a session of the user who requested the change. Otherwise, a stranger who gets the link at a mistyped address
   * could take over the account, and strangers could attach their own accounts to someone else's address.
   */
  async function confirmChange({ form, viewer }: Visit): Promise<Response> {
    requireSignedIn(viewer);
    const change = async (tx: Tx) => {
      // Every change that ends sessions locks the user's row first. Otherwise, two such changes could deadlock.
      await lockUser(database, tx, viewer.id);
      const token = await consumeToken(tx, 'change address', String(form.token), viewer.id);
      if (!token) return undefined;
      const from = await replaceAddress(options, tx, viewer.id, token.value);
      if (from === undefined) return undefined;
      await requireSession(tx, viewer);
      if (from.email === token.value) return token.value;
      await endAccess(database, tx, viewer.id, viewer.session);
      if (from.wasConfirmed) await allowUndo(tx, viewer.id, from.email);
      await addMail(tx, [{ kind: 'address changed', recipient: from.email, about: viewer.id }]);
      return token.value;
    };
    const changed = await database.transaction(change).catch((error: unknown) => {
      throw isDuplicate(error) ? taken() : error;
    });
    return changed === undefined ? wrongLink() : done();
  }

  /** Consumes the token, restores the former address and returns it. The caller replaces the password. */
  async function undoAddressChange(tx: Tx, sent: string): Promise<string | undefined> {
    const token = await consumeToken(tx, 'undo address change', sent);
    if (!token) return undefined;
    const userId = token.value;
    const to = readUndoRowId(token.id);
    if (!(await restoreAddress({ ...options, sendsMail: config.sendsMail }, tx, userId, to)))
      return undefined;
    // An intruder may have changed the address more than once.
    await denyLaterUndo(tx, userId, token);
    return to;
  }

  const calls: [string, Handler][] = [
    ['/request-email-change', requestChange],
    ['/confirm-email-change', confirmChange],
  ];
  return { calls, undoAddressChange };
}

export function requireSignedIn(viewer: SessionUser | undefined): asserts viewer {
  if (!viewer) throw new ShopError('not_signed_in', 'Sign in and try again.');
}

/** The session may have ended since it was read, for example because the owner has reset the password. */
export async function requireSession(tx: Tx, viewer: SessionUser): Promise<void> {
  const session = tx.selectFrom('session').select('id').where('id', '=', viewer.session);
  if (!(await session.executeTakeFirst())) requireSignedIn(undefined);
}
