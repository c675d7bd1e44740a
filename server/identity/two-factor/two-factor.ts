import { randomInt } from 'node:crypto';
import { ShopError } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { Tx } from '../../database/schema.ts';
import {
  consumeRateLimits,
  countAttempt,
  type RateLimits,
  restoreRateLimits,
} from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { cookiePrefix, decodeCookie, readCookie, verifyToken } from '../credentials.ts';
import { deletePasskeys, passkeyPaths } from '../passkeys/passkeys.ts';
import { endAccess, lockUser } from '../session-endings.ts';

/** Without letters and digits that look alike. */
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Ten recovery codes of 49 bits each, such as `k7w2m-9hxqe`. */
export function generateRecoveryCodes(): string[] {
  const draw = () => recoveryAlphabet[randomInt(recoveryAlphabet.length)];
  const drawPart = () => Array.from({ length: 5 }, draw).join('');
  return Array.from({ length: 10 }, () => `${drawPart()}-${drawPart()}`);
}

/** Better Auth also accepts the previous and the next code, so each code is valid for three periods. */
const codeLifetimeMs = 3 * 30 * 1000;

export const codePaths = new Set(['/two-factor/verify-totp', '/two-factor/verify-backup-code']);

const expired = 'This sign-in has expired. Go back and enter your password again.';

/** These replace Better Auth's messages, which are for developers. */
export const codeMessages: ReadonlyMap<string, string> = new Map([
  ['INVALID_CODE', 'This code is wrong or was already used. Wait for the next one and enter it.'],
  ['INVALID_BACKUP_CODE', 'This recovery code is wrong or was already used.'],
  ['INVALID_TWO_FACTOR_COOKIE', expired],
  ['TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE', expired],
  ['TOTP_NOT_ENABLED', 'Two-factor sign-in has been turned off in the meantime. Start again.'],
]);

/** How long Better Auth rejects all codes after ten wrong ones in a row. */
const lockSeconds = 15 * 60;

/** The id of the user whose sign-in waits for its second step in this browser. */
export async function findChallengedUser(
  { db }: Database,
  headers: Headers,
  { config, secret }: { config: Config; secret: string },
): Promise<string | undefined> {
  const signed = decodeCookie(readCookie(headers, `${cookiePrefix(config)}.two_factor`));
  const identifier = signed && verifyToken(signed, secret);
  if (!identifier) return undefined;
  const challenge = db.selectFrom('verification').select('value').where('identifier', '=', identifier);
  return (await challenge.executeTakeFirst())?.value;
}

/**
 * Limits attempts to guess a code. Guessing requires the password first, so no stranger can lock a user out. Counts the attempt
 * first, so that simultaneous guesses all count, and gives it back unless the code is wrong.
 */
export async function limitCodes(
  database: Database,
  limits: RateLimits,
  { userId, address, code }: { userId: string; address: string; code: string },
  send: () => Promise<Response>,
): Promise<Response> {
  const byUser = `code ${userId}`;
  const byAddress = `code ${address}`;
  await consumeRateLimits(database, { [byUser]: limits.codesPerUser, [byAddress]: limits.codesPerAddress });
  // A code is valid once (RFC 6238, 5.2), which Better Auth does not check.
  const used = `code ${userId} ${code}`;
  const { count } = await countAttempt(database, used, codeLifetimeMs);
  if (count > 1) return Response.json({ code: 'INVALID_CODE', message: 'Invalid code' }, { status: 401 });
  let wrong = false;
  let failed = true;
  try {
    const response = await send();
    failed = response.status >= 500;
    wrong = !response.ok && !failed;
    // Better Auth does not set this header.
    if (response.status === 429) response.headers.set('retry-after', `${lockSeconds}`);
    return response;
  } finally {
    const unused = [...(wrong ? [] : [byUser, byAddress]), ...(failed ? [used] : [])];
    if (unused.length > 0) await restoreRateLimits(database, unused);
  }
}

/** A passkey counts as both factors. */
const newPasskeyPaths = new Set([passkeyPaths.startNew, passkeyPaths.finishNew]);
/** These turn two-factor sign-in off, replace its codes, or make it unnecessary. */
const secondFactorSettings = new Set([
  '/two-factor/disable',
  '/two-factor/generate-backup-codes',
  passkeyPaths.remove,
  ...newPasskeyPaths,
]);

/** Throws 401 or 403 if a call would change the second factor, and its session is not allowed to. */
export function checkSettingsAccess(name: string, viewer: SessionUser | undefined): void {
  // Otherwise a session of an admin's Google account could replace the second factor with the password alone.
  if (viewer?.adminStep === 'code' && secondFactorSettings.has(name))
    throw new ShopError('not_allowed', 'Enter a code from your authenticator app first.');
  if (!newPasskeyPaths.has(name)) return;
  if (!viewer) throw new ShopError('not_signed_in', 'Sign in and try again.');
  // Otherwise an intruder with the password alone would pass both steps once the admin has turned two-factor sign-in on.
  if (viewer.adminStep) throw new ShopError('not_allowed', 'Turn on two-factor sign-in first.');
}

/** Turns two-factor sign-in off and deletes its secret and codes. Returns false if it was already off. */
export async function deleteTwoFactor(tx: Tx, userId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('user')
    .set({ twoFactorEnabled: false })
    .where('id', '=', userId)
    .where('twoFactorEnabled', '=', true)
    .executeTakeFirst();
  await tx.deleteFrom('twoFactor').where('userId', '=', userId).execute();
  return numUpdatedRows > 0n;
}

/**
 * Removes two-factor sign-in and the passkeys of a user who has lost their recovery codes and their phone, which may hold the
 * passkeys. Ends their sessions. Returns false, and changes nothing, if there was nothing to remove.
 */
export function removeTwoFactor(
  database: Database,
  userId: string,
  alsoWrite: (tx: Tx, wasOn: boolean) => Promise<void>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    await lockUser(database, tx, userId);
    const wasOn = await deleteTwoFactor(tx, userId);
    const hadPasskeys = await deletePasskeys(tx, userId);
    if (!wasOn && !hadPasskeys) return false;
    await endAccess(database, tx, userId);
    await alsoWrite(tx, wasOn);
    return true;
  });
}
