import type { Database } from '../database/database.ts';
import { consumeRateLimits, createFairQueue, type RateLimits, restoreRateLimit } from '../http/rate-limit.ts';

const maxHashesPerAddress = 4;
const maxWaitingHashes = 200;

/**
 * Queues the calls that hash a password: at most four per network address run at a time. Otherwise, users who share an
 * address could occupy every thread, or reach the limit on wrong guesses, because each attempt counts until it succeeds.
 */
export const createPasswordQueue = () => createFairQueue(maxHashesPerAddress, maxWaitingHashes);

/**
 * Limits attempts to guess a password. Counts the attempt first, so that simultaneous guesses all count, and gives it back
 * unless the password is wrong. Throws 429.
 */
export async function limitGuesses<Result>(
  { database, limits }: { database: Database; limits: RateLimits },
  address: string,
  email: string,
  attempt: () => Promise<Result>,
  isWrong: (result: Result) => Promise<boolean>,
): Promise<Result> {
  const byBoth = `sign-in ${address} ${email}`;
  const byAddress = `sign-in ${address}`;
  await consumeRateLimits(database, {
    [byAddress]: limits.signInsPerAddress,
    [byBoth]: limits.signInsPerAddressAndEmail,
  });
  let wrong = false;
  try {
    const result = await attempt();
    wrong = await isWrong(result);
    return result;
  } finally {
    if (!wrong) {
      await restoreRateLimit(database, byBoth);
      await restoreRateLimit(database, byAddress);
    }
  }
}
