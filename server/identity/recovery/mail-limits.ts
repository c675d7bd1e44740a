import { dayMs, hourMs } from '../../../contract/durations.ts';
import { ShopError } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import { consumeRateLimits, type RateLimits } from '../../http/rate-limit.ts';
import { toMailbox } from '../../mail/mailbox.ts';

/* Limits on messages with a link, which anybody can have sent to somebody else's address. */

type Options = { database: Database; limits: RateLimits };

/** The purpose of a link. Each has its own limits: requests for one must not use up the limits of another. */
export type LinkPurpose = 'reset' | 'confirm' | 'change' | 'newsletter';

/** How long requests and messages count. A link works for at least as long, so a limit that is used up blocks nobody. */
export const getLinkWindow = (purpose: LinkPurpose): number => (purpose === 'newsletter' ? dayMs : hourMs);

/**
 * Counts a request for a message to `email` from a network address. Known and unknown email addresses count alike. A stranger's
 * requests do not use up the owner's limit, because the owner's come from another network. Throws 429.
 */
export async function limitLinkRequests(
  { database, limits }: Options,
  purpose: LinkPurpose,
  networkAddress: string,
  email: string,
): Promise<void> {
  const name = `${purpose} mail from ${networkAddress}`;
  const message = 'Too many requests';
  await consumeRateLimits(database, { [name]: limits.linkRequestsPerAddress }, { windowMs: hourMs, message });
  await consumeRateLimits(
    database,
    { [`${name} to ${toMailbox(email)}`]: limits.linkRequestsPerAddressAndMailbox },
    { windowMs: getLinkWindow(purpose), message },
  );
}

/** Counts a sign-up like a request. Returns whether its message may be sent; the sign-up does not depend on it. */
export async function countSignUpMail(
  options: Options,
  networkAddress: string,
  email: string,
): Promise<boolean> {
  try {
    await limitLinkRequests(options, 'confirm', networkAddress, email);
    return true;
  } catch (error) {
    if (error instanceof ShopError && error.code === 'too_many_attempts') return false;
    throw error;
  }
}
