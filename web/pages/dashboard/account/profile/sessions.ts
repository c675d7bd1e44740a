import { z } from 'zod';
import { IdentityError } from '../../../../client/api/identity.ts';
import { getSession } from '../../../../client/session.ts';

const sessionInfo = z.object({
  id: z.string(),
  /** Identifies the session when revoking it. Unsigned, so it does not authenticate anyone. */
  token: z.string(),
  createdAt: z.string(),
  ipAddress: z.string().nullish(),
  userAgent: z.string().nullish(),
});

export type SessionInfo = z.infer<typeof sessionInfo>;

/** The user's sessions. `others` is undefined if the current session is more than a day old. */
export type SessionGroups = { current: SessionInfo; others: SessionInfo[] | undefined };

/** Better Auth lists sessions only for a recent session: a stolen old one must not reveal the others. */
const maxListableAgeMs = 24 * 60 * 60 * 1000;

/** Lists the user's sessions, newest first. Throws `IdentityError`. */
export async function listSessions(): Promise<SessionGroups> {
  const { callIdentity } = getSession();
  const response = z.object({ session: sessionInfo }).safeParse(await callIdentity('/get-session'));
  if (!response.success) throw new IdentityError('You are signed out here. Sign in again.');
  const current = response.data.session;
  if (Date.now() - Date.parse(current.createdAt) >= maxListableAgeMs) return { current, others: undefined };
  const sessions = z.array(sessionInfo).parse(await callIdentity('/list-sessions'));
  const others = sessions.filter(({ id }) => id !== current.id);
  return { current, others: others.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt)) };
}

/** Ends one session or all others, effective on their next call. Throws `IdentityError` or `ApiError`. */
export async function revokeSession(which: SessionInfo | 'others'): Promise<void> {
  const { callIdentity } = getSession();
  if (which === 'others') await callIdentity('/revoke-other-sessions', {});
  else await callIdentity('/revoke-session', { token: which.token });
}
