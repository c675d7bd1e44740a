import { invalid } from '../../contract/errors.ts';
import type { Database } from '../database/database.ts';
import type { RateLimits } from '../http/rate-limit.ts';
import type { SessionUser } from '../http/request-context.ts';
import { verifyPassword } from './credentials.ts';
import { requireFreshSession } from './google.ts';
import { limitGuesses } from './guesses.ts';

const maxSessionMinutes = 10;

/**
 * Confirms that the request is the user's own, and not made with a stolen session: by the password or, if the account has
 * none, by a sign-in within the last ten minutes. Throws 422, 429 and 403.
 */
export async function confirmUser(
  options: { database: Database; limits: RateLimits },
  viewer: SessionUser,
  { password, address }: { password: string; address: string },
): Promise<void> {
  const account = await options.database.db
    .selectFrom('account')
    .select('password')
    .where('userId', '=', viewer.id)
    .where('providerId', '=', 'credential')
    .executeTakeFirst();
  const hash = account?.password;
  if (!hash) return requireFreshSession(options.database, viewer, maxSessionMinutes);
  if (!password) throw invalid('password', 'Password is Required');
  const isRight = await limitGuesses(
    options,
    address,
    viewer.email,
    () => verifyPassword({ hash, password }),
    async (right) => !right,
  );
  if (!isRight) throw invalid('password', 'Invalid password');
}
