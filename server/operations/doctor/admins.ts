import { formatQuantity } from '../../../contract/admin/health-format.ts';
import type { Config } from '../../config/config.ts';
import type { Db } from '../../database/schema.ts';
import type { Report } from './report.ts';

/** Checks that all admins can use their rights. */
export async function checkAdmins(config: Config, db: Db, report: Report): Promise<void> {
  if (!config.requireAdminTwoFactor) return;
  const admins = await db.selectFrom('user').select('twoFactorEnabled').where('role', '=', 'admin').execute();
  const without = admins.filter(({ twoFactorEnabled }) => !twoFactorEnabled).length;
  if (without === 0) report.ok('Admins: all have two-factor sign-in.');
  else
    report.warn(
      `REQUIRE_ADMIN_2FA is yes: ${without} of ${formatQuantity(admins.length, 'admin')} cannot use the admin pages, because two-factor sign-in is off.`,
      'They can sign in and turn it on. An account without a password needs one first: npm run reset-password.',
    );
}
