import type { Database } from '../database/database.ts';
import { consumeRateLimit, type RateLimits, restoreRateLimit } from '../http/rate-limit.ts';

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
  await consumeRateLimit(database, byBoth, limits.signInsPerAddressAndEmail);
  await consumeRateLimit(database, byAddress, limits.signInsPerAddress);
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
