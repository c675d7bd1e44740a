import { notFound, ShopError } from '../../../contract/errors.ts';
import type { FairQueue, RateLimits } from '../../http/rate-limit.ts';
import { addMail } from '../../mail/outbox.ts';
import type { AuthOptions } from '../auth.ts';
import { reauthenticate } from '../reauthenticate.ts';
import { done, type Handler } from '../recovery/recovery.ts';
import { endAccess, lockUser } from '../session-endings.ts';

/**
 * Replaces Better Auth's call. With that call, a stolen session would be enough to remove a passkey, and the message could not be
 * added in the same transaction.
 */
export const createPasskeyRemoval =
  (
    options: Pick<AuthOptions, 'config' | 'database'> & { limits: RateLimits; passwordQueue: FairQueue },
  ): Handler =>
  async ({ form, address, viewer }) => {
    if (!viewer) throw new ShopError('not_signed_in', 'Sign in and try again.');
    await reauthenticate(options, viewer, { password: String(form.password ?? ''), address });
    await options.database.transaction(async (tx) => {
      // Every change that ends sessions locks the user's row first. Otherwise, two such changes could deadlock.
      await lockUser(options.database, tx, viewer.id);
      const { numDeletedRows } = await tx
        .deleteFrom('passkey')
        .where('id', '=', String(form.id))
        .where('userId', '=', viewer.id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw notFound('passkey');
      await endAccess(options.database, tx, viewer.id, viewer.session);
      const mail = { kind: 'passkey removed' as const, recipient: viewer.email, about: viewer.id };
      if (options.config.sendsMail) await addMail(tx, [mail]);
    });
    return done();
  };
