import { ShopError } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Tx } from '../../database/schema.ts';
import { consumeRateLimits, type FairQueue, type RateLimits } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { reauthenticate } from '../reauthenticate.ts';

export const passkeyPaths = {
  startNew: '/passkey/generate-register-options',
  finishNew: '/passkey/verify-registration',
  startSignIn: '/passkey/generate-authenticate-options',
  finishSignIn: '/passkey/verify-authentication',
  remove: '/passkey/delete-passkey',
};

export const maxPasskeysPerUser = 10;
export const tooManyPasskeys = `You have ${maxPasskeysPerUser} passkeys. Remove one first.`;

/** These replace Better Auth's messages, which are for developers. */
export const passkeyMessages: ReadonlyMap<string, string> = new Map([
  ['CHALLENGE_NOT_FOUND', 'This took too long. Try again.'],
  [
    'PASSKEY_NOT_FOUND',
    'The shop does not know this passkey: it may have been removed. Sign in another way.',
  ],
  ['AUTHENTICATION_FAILED', 'The passkey could not be verified. Try again, or sign in another way.'],
]);

type Options = { database: Database; limits: RateLimits; passwordQueue: FairQueue };

/**
 * Better Auth would let any session that is at most a day old add any number of passkeys. Here, the first step requires the
 * password or, without one, a recent sign-in; the second needs the challenge that the first has created. Throws 401 if nobody is
 * signed in; 403 without a recent sign-in; 409 if the user has too many passkeys; 422 for a wrong password; 429 after too many
 * attempts.
 */
export async function authorizeNewPasskey(
  options: Options,
  { password = '' }: { password?: unknown },
  address: string,
  viewer: SessionUser | undefined,
): Promise<void> {
  if (!viewer) throw new ShopError('not_signed_in', 'Sign in and try again.');
  await reauthenticate(options, viewer, { password: String(password), address });
  const { count } = await options.database.db
    .selectFrom('passkey')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('userId', '=', viewer.id)
    .executeTakeFirstOrThrow();
  if (Number(count) >= maxPasskeysPerUser) throw new ShopError('conflict', tooManyPasskeys);
}

/**
 * Limits the stored challenges. One is stored for some minutes whenever someone starts to sign in with a passkey or Google, which
 * needs no session, or to add one of these. Throws 429.
 */
export const limitChallenges = (
  { database, limits }: Options,
  kind: 'passkey' | 'google',
  address: string,
): Promise<void> => consumeRateLimits(database, { [`${kind} ${address}`]: limits.challengesPerAddress });

/** Returns false if there were none. */
export async function deletePasskeys(tx: Tx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('passkey').where('userId', '=', userId).executeTakeFirst();
  return numDeletedRows > 0n;
}
