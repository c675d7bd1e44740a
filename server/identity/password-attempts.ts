import { minuteMs } from '../../contract/durations.ts';
import type { Database } from '../database/database.ts';
import {
  checkRateLimit,
  consumeRateLimits,
  countAttempt,
  createFairQueue,
  type RateLimits,
  restoreRateLimits,
} from '../http/rate-limit.ts';

const maxCallsPerAddress = 2;
const maxWaitingCalls = 200;

/**
 * Queues the calls that hash a password: two per network address run at a time. This keeps one address from filling the queue for
 * hashes (`credentials.ts`). It also keeps users who share an address below the limit on wrong guesses, because each attempt counts
 * as wrong until it succeeds.
 */
export const createPasswordQueue = () => createFairQueue(maxCallsPerAddress, maxWaitingCalls);

/** The result of comparing a password. Undefined if it was not compared. */
export type PasswordCheck = 'correct' | 'wrong' | undefined;

/**
 * Limits attempts to guess a password. Counts the attempt first, so that simultaneous guesses all count, and gives it back
 * unless the password is wrong. Also limits correct passwords, which cost as much. They are counted afterwards, so that strangers
 * cannot use up that limit. Throws 429.
 */
export async function limitPasswordAttempts<Result>(
  { database, limits }: { database: Database; limits: RateLimits },
  address: string,
  email: string,
  attempt: () => Promise<Result>,
  readCheck: (result: Result) => Promise<PasswordCheck>,
): Promise<Result> {
  const byBoth = `sign-in ${address} ${email}`;
  const byAddress = `sign-in ${address}`;
  const correct = `correct password ${email}`;
  await checkRateLimit(database, correct, limits.correctPasswordsPerAccount, { windowMs: minuteMs });
  await consumeRateLimits(database, {
    [byAddress]: limits.signInsPerAddress,
    [byBoth]: limits.signInsPerAddressAndEmail,
  });
  let wrong = false;
  try {
    const result = await attempt();
    const check = await readCheck(result);
    wrong = check === 'wrong';
    if (check === 'correct') await countAttempt(database, correct, minuteMs);
    return result;
  } finally {
    if (!wrong) await restoreRateLimits(database, [byAddress, byBoth]);
  }
}
