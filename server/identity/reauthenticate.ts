import { invalid, ShopError } from '../../contract/errors.ts';
import type { Database } from '../database/database.ts';
import type { FairQueue, RateLimits } from '../http/rate-limit.ts';
import type { SessionUser } from '../http/request-context.ts';
import { findPasswordHash, verifyPassword } from './credentials.ts';
import { limitPasswordAttempts } from './password-attempts.ts';

/** How long after sign-in a user may link Google. */
const linkMinutes = 60;
const maxSessionMinutes = 10;

/**
 * Confirms that the request is the user's own, and not made with a stolen session: by the password or, if the account has none, by
 * a sign-in within the last ten minutes. Throws 422 for a wrong password; 429 after too many attempts; 403 without a recent
 * sign-in.
 */
export async function reauthenticate(
  options: { database: Database; limits: RateLimits; passwordQueue: FairQueue },
  viewer: SessionUser,
  { password, address }: { password: string; address: string },
): Promise<void> {
  const hash = await findPasswordHash(options.database.db, viewer.id);
  if (!hash) return requireFreshSession(options.database, viewer, maxSessionMinutes);
  if (!password) throw invalid('password', 'Password is Required');
  const isRight = await options.passwordQueue(address, () =>
    limitPasswordAttempts(
      options,
      address,
      viewer.email,
      () => verifyPassword({ hash, password }),
      async (isCorrect) => (isCorrect ? 'correct' : 'wrong'),
    ),
  );
  if (!isRight) throw invalid('password', 'Invalid password');
}

/** Throws 403 if the session is too old: a stolen session must not be enough to link Google to the account or to delete it. */
export async function requireFreshSession(
  { db }: Database,
  viewer: SessionUser | undefined,
  maxMinutes = linkMinutes,
): Promise<void> {
  if (!viewer) return;
  const created = db.selectFrom('session').select('createdAt').where('id', '=', viewer.session);
  const session = await created.executeTakeFirst();
  // The session may have ended since it was read.
  if (session && new Date(session.createdAt).getTime() > Date.now() - maxMinutes * 60_000) return;
  const age = maxMinutes === 60 ? 'an hour' : `${maxMinutes} minutes`;
  throw new ShopError('not_allowed', `You signed in more than ${age} ago: sign out and in again first.`);
}
