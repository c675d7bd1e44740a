import type { AuthOptions } from '../auth.ts';
import { findPasswordHash, verifyPassword } from '../credentials.ts';
import { requireSession, requireSignedIn } from '../recovery/address-change.ts';
import type { Handler } from '../recovery/recovery.ts';
import { endAccess, lockUser } from '../session-endings.ts';
import { generateRecoveryCodes } from './two-factor.ts';

const reject = (code: string, message: string) => Response.json({ code, message }, { status: 400 });
const notEnabled = () => reject('TWO_FACTOR_NOT_ENABLED', 'Two factor isn’t enabled');

/**
 * The call that replaces the recovery codes, in Better Auth's format. Better Auth's own call could not end older access in the same
 * transaction.
 */
export function createCodeRenewal({
  database,
  secret,
}: Pick<AuthOptions, 'database' | 'secret'>): [string, Handler] {
  const renewCodes: Handler = async ({ form, viewer }) => {
    requireSignedIn(viewer);
    // Check this before hashing the password, because this response counts against no limit.
    if (!viewer.twoFactorOn) return notEnabled();
    const hash = await findPasswordHash(database.db, viewer.id);
    if (!hash || !(await verifyPassword({ hash, password: String(form.password) })))
      return reject('INVALID_PASSWORD', 'Invalid password');
    const backupCodes = generateRecoveryCodes();
    const { symmetricEncrypt } = await import('better-auth/crypto');
    const encrypted = await symmetricEncrypt({ key: secret, data: JSON.stringify(backupCodes) });
    const isRenewed = await database.transaction(async (tx) => {
      await lockUser(database, tx, viewer.id);
      await requireSession(tx, viewer);
      const { numUpdatedRows } = await tx
        .updateTable('twoFactor')
        .set({ backupCodes: encrypted })
        .where('userId', '=', ({ selectFrom }) =>
          selectFrom('user').select('id').where('id', '=', viewer.id).where('twoFactorEnabled', '=', true),
        )
        .executeTakeFirst();
      if (numUpdatedRows > 0n) await endAccess(database, tx, viewer.id, viewer.session);
      return numUpdatedRows > 0n;
    });
    return isRenewed ? Response.json({ status: true, backupCodes }) : notEnabled();
  };

  return ['/two-factor/generate-backup-codes', renewCodes];
}
