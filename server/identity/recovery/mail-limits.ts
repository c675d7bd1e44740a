import type { Database } from '../../database/database.ts';
import { consumeRateLimit, countAttempt, hourMs, type RateLimits } from '../../http/rate-limit.ts';

/* Limits on messages with a link, which anybody can have sent to somebody else's address. */

type Options = { database: Database; limits: RateLimits };

/** Counts the messages that an address has been sent. They count when they are sent. */
export const nameRecipientLimit = (email: string): string => `account mail to ${email}`;

/** Counts the requests for such messages from a network address. */
const nameRequestLimit = (address: string): string => `account mail from ${address}`;

/** Throws 429. */
export const limitMailRequests = ({ database, limits }: Options, address: string): Promise<void> =>
  consumeRateLimit(database, nameRequestLimit(address), limits.accountMessagesPerAddress, {
    windowMs: hourMs,
    message: 'Too many requests',
  });

/** Counts a sign-up like a request. Returns whether its message may be sent; the sign-up does not depend on it. */
export async function countSignUpMail({ database, limits }: Options, address: string): Promise<boolean> {
  const { count } = await countAttempt(database, nameRequestLimit(address), hourMs);
  return count <= limits.accountMessagesPerAddress;
}
