import type { Database } from '../database/database.ts';
import {
  checkRateLimit,
  consumeRateLimits,
  countAttempt,
  createFairQueue,
  minuteMs,
  type RateLimits,
  restoreRateLimit,
} from '../http/rate-limit.ts';

const maxCallsPerAddress = 2;
const maxWaitingCalls = 200;

/**
 * Queues the calls that hash a password: two per network address run at a time, so addresses take turns at hashing
 * (`credentials.ts`). Otherwise, an address could delay the sign-ins of others, and users who share one could reach the limit on
 * wrong guesses, because each attempt counts until it succeeds.
 */
export const createPasswordQueue = () => createFairQueue(maxCallsPerAddress, maxWaitingCalls);

/** Undefined if the password was not compared. */
export type Verdict = 'correct' | 'wrong' | undefined;

/**
 * Limits attempts to guess a password. Counts the attempt first, so that simultaneous guesses all count, and gives it back
 * unless the password is wrong. Also limits correct passwords, which cost as much: they count afterwards, so strangers cannot
 * use up that limit. Throws 429.
 */
export async function limitGuesses<Result>(
  { database, limits }: { database: Database; limits: RateLimits },
  address: string,
  email: string,
  attempt: () => Promise<Result>,
  judge: (result: Result) => Promise<Verdict>,
): Promise<Result> {
  const byBoth = `sign-in ${address} ${email}`;
  const byAddress = `sign-in ${address}`;
  const correct = `correct password ${email}`;
  await checkRateLimit(database, correct, limits.correctPasswordsPerAccount, minuteMs);
  await consumeRateLimits(database, {
    [byAddress]: limits.signInsPerAddress,
    [byBoth]: limits.signInsPerAddressAndEmail,
  });
  let wrong = false;
  try {
    const result = await attempt();
    const verdict = await judge(result);
    wrong = verdict === 'wrong';
    if (verdict === 'correct') await countAttempt(database, correct, minuteMs);
    return result;
  } finally {
    if (!wrong) {
      await restoreRateLimit(database, byBoth);
      await restoreRateLimit(database, byAddress);
    }
  }
}
