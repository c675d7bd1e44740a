import type { Database } from '../database/database.ts';
import { createFairQueue } from '../http/fair-queue.ts';
import { consumeRateLimit, type RateLimits, restoreRateLimit } from '../http/rate-limit.ts';

type Send = () => Promise<Response>;

const maxHashesPerAddress = 4;
/** Calls that wait to hash a password: a few seconds of work. */
const maxWaiting = 200;

/**
 * Rate limits of the three calls that hash a password. Calls from one address also queue, so that many users behind one
 * address neither exceed its limit together nor occupy every thread.
 */
export function createSignInLimits(database: Database, limits: RateLimits) {
  const takeTurn = createFairQueue(maxHashesPerAddress, maxWaiting);

  /** Counts the attempt first, so that simultaneous guesses all count, and gives it back unless the password is wrong. */
  async function limitGuesses(address: string, email: string, send: Send): Promise<Response> {
    const byBoth = `sign-in ${address} ${email}`;
    const byAddress = `sign-in ${address}`;
    await consumeRateLimit(database, byBoth, limits.signInsPerAddressAndEmail);
    await consumeRateLimit(database, byAddress, limits.signInsPerAddress);
    let wrong = false;
    try {
      const response = await send();
      wrong = await isWrongPassword(response);
      return response;
    } finally {
      if (!wrong) {
        await restoreRateLimit(database, byBoth);
        await restoreRateLimit(database, byAddress);
      }
    }
  }

  return {
    limitPasswordCheck: (address: string, email: string, send: Send): Promise<Response> =>
      takeTurn(address, () => limitGuesses(address, email, send)),
    limitSignUp: (address: string, send: Send): Promise<Response> =>
      takeTurn(address, async () => {
        await consumeRateLimit(database, `sign-up ${address}`, limits.signUpsPerAddress);
        return send();
      }),
  };
}

/** Better Auth responds to a wrong password with 401 at sign-in, and with this code when the password is changed. */
async function isWrongPassword(response: Response): Promise<boolean> {
  if (response.ok || response.status === 401) return !response.ok;
  return (await readErrorCode(response)) === 'INVALID_PASSWORD';
}

/** The code of an error response from Better Auth. */
export async function readErrorCode(response: Response): Promise<unknown> {
  if (response.ok) return undefined;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
}
