import { z } from 'zod';
import { ask, IdentityRefused } from '../../../client/identity.ts';
import { session } from '../../../client/session.ts';

const signedIn = z.object({
  id: z.string(),
  /** Names the session where it is ended. It lets nobody in: its signature is missing. */
  token: z.string(),
  createdAt: z.string(),
  ipAddress: z.string().nullish(),
  userAgent: z.string().nullish(),
});

export type SignedIn = z.infer<typeof signedIn>;

/** Where somebody is signed in; `others` only where they signed in here within the last day. */
export type Sessions = { here: SignedIn; others: SignedIn[] | undefined };

/** Better Auth tells a session that is older than this about no other: a stolen one is to learn nothing. */
const fresh = 24 * 60 * 60 * 1000;

/** Asks the identity service, newest first. Throws `IdentityRefused`. */
export async function listSessions(): Promise<Sessions> {
  const own = z.object({ session: signedIn }).safeParse(await ask('/get-session'));
  if (!own.success) throw new IdentityRefused('You are signed out here. Sign in again.');
  const here = own.data.session;
  if (Date.now() - Date.parse(here.createdAt) >= fresh) return { here, others: undefined };
  const all = z.array(signedIn).parse(await ask('/list-sessions'));
  const others = all.filter(({ id }) => id !== here.id);
  return { here, others: others.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt)) };
}

/** Ends one other session, or all others: their next call is anonymous. Throws `IdentityRefused` or `CallFailed`. */
export async function endSession(which: SignedIn | 'others'): Promise<void> {
  await session().confirm();
  if (which === 'others') await ask('/revoke-other-sessions', {});
  else await ask('/revoke-session', { token: which.token });
}
