import { z } from 'zod';
import type { Call } from '../call.ts';
import { empty, session } from './fields.ts';

/** The caller's sessions. */
export const sessionCalls = {
  listSessions: {
    method: 'GET',
    path: '/auth/list-sessions',
    summary: "List the caller's sessions; only within a day of signing in",
    access: 'signed-in',
    response: z.array(session),
    errors: [403],
  },
  revokeSession: {
    method: 'POST',
    path: '/auth/revoke-session',
    summary: "End one of the caller's sessions",
    access: 'signed-in',
    body: z.object({ token: z.string().describe("The session's `token` in the list.") }),
    response: empty,
  },
  revokeOtherSessions: {
    method: 'POST',
    path: '/auth/revoke-other-sessions',
    summary: "End the caller's other sessions",
    access: 'signed-in',
    response: empty,
  },
  revokeSessions: {
    method: 'POST',
    path: '/auth/revoke-sessions',
    summary: "End all of the caller's sessions, including this one",
    access: 'signed-in',
    response: empty,
  },
} as const satisfies Record<string, Call>;
