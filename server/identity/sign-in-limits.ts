import type { Database } from '../database/database.ts';
import { createTurns } from '../http/fair-queue.ts';
import { giveBackTry, type Limits, takeTry } from '../http/rate-limit.ts';

type Work = () => Promise<Response>;

/** Calls that wait to hash a password: some seconds of work. */
const maxWaiting = 200;

/**
 * The shop's limits on guessing about the three calls that hash a password. Each takes its turn: many who come at once
 * from one network wait for each other instead of using up its tries, or every thread.
 */
export function createSignInLimits(database: Database, limits: Limits) {
  const takeTurn = createTurns(4, maxWaiting);

  /** A try is taken before it is judged, so that guesses sent at once count each, and given back unless it was one. */
  async function limitGuesses(address: string, email: string, work: Work): Promise<Response> {
    const both = `sign-in ${address} ${email}`;
    const alone = `sign-in ${address}`;
    await takeTry(database, both, limits.signInsForAddressAndEmail);
    await takeTry(database, alone, limits.signInsForAddress);
    let guessed = false;
    try {
      const answered = await work();
      guessed = await isWrongPassword(answered);
      return answered;
    } finally {
      if (!guessed) {
        await giveBackTry(database, both);
        await giveBackTry(database, alone);
      }
    }
  }

  return {
    limitPasswordCheck: (address: string, email: string, work: Work): Promise<Response> =>
      takeTurn(address, () => limitGuesses(address, email, work)),
    limitSignUp: (address: string, work: Work): Promise<Response> =>
      takeTurn(address, async () => {
        await takeTry(database, `sign-up ${address}`, limits.signUpsForAddress);
        return work();
      }),
  };
}

/** Better Auth's answers to a wrong password: 401 at sign-in, this code where one is changed. */
async function isWrongPassword(answered: Response): Promise<boolean> {
  if (answered.ok || answered.status === 401) return !answered.ok;
  return (await readErrorCode(answered)) === 'INVALID_PASSWORD';
}

/** The code of a refusal of Better Auth's. */
export async function readErrorCode(answered: Response): Promise<unknown> {
  if (answered.ok) return undefined;
  const said: unknown = await answered
    .clone()
    .json()
    .catch(() => undefined);
  return typeof said === 'object' && said !== null && 'code' in said ? said.code : undefined;
}
