import { z } from 'zod';
import type { Call } from './call.ts';
import { email, text, time } from './fields.ts';

/*
 * The calls of identity. They are Better Auth's own protocol and mounted as they are, so they stand apart from the
 * contract; only what a client needs of their answers is named.
 */

/** Their error answers, which are no problems of the shop's. */
export const identityError = z.looseObject({
  message: z.string().describe('What is wrong, for a person to read.'),
  code: z.string().optional().describe('Which error it is.'),
});

const person = z.looseObject({ id: z.string(), name: z.string(), email: z.string() });
const session = z.looseObject({
  id: z.string(),
  token: z
    .string()
    .describe('Names the session where it is ended. It lets nobody in: its signature is missing.'),
  createdAt: time,
  expiresAt: time,
});
const entered = z.looseObject({ user: person });
const password = z.string().min(6).max(128);
const done = z.looseObject({});
const toGoogle = z.object({
  provider: z.literal('google'),
  callbackURL: z.string().optional().describe('A path of the shop: where the browser comes back to.'),
  errorCallbackURL: z.string().optional().describe('The same, where it failed: with `?error=`.'),
});
const address = z.looseObject({ url: z.string().describe('Where the browser goes to.') });

export const identityCalls = {
  signUp: {
    method: 'POST',
    path: '/auth/sign-up/email',
    summary: 'Make an account, and sign in with it',
    who: 'everybody',
    body: z.object({
      name: text('Name', 100),
      email,
      password: password.describe('None of the commonest.'),
    }),
    answer: entered,
    errors: [400, 413, 415, 422, 429],
  },
  signIn: {
    method: 'POST',
    path: '/auth/sign-in/email',
    summary: 'Sign in with e-mail and password',
    who: 'everybody',
    body: z.object({ email, password: z.string() }),
    answer: entered,
    errors: [400, 401, 413, 415, 429],
  },
  signInWithGoogle: {
    method: 'POST',
    path: '/auth/sign-in/social',
    summary: 'Where a browser goes to sign in with Google',
    who: 'everybody',
    body: toGoogle,
    answer: address,
    errors: [400, 413, 415],
  },
  linkGoogle: {
    method: 'POST',
    path: '/auth/link-social',
    summary: 'Where a browser goes to let its account sign in with Google, too',
    who: 'person',
    body: toGoogle,
    answer: address,
    errors: [400, 401, 403, 413, 415],
  },
  readSession: {
    method: 'GET',
    path: '/auth/get-session',
    summary: 'Who is signed in; null where nobody is',
    who: 'everybody',
    answer: z.looseObject({ session, user: person }).nullable(),
    errors: [],
  },
  signOut: {
    method: 'POST',
    path: '/auth/sign-out',
    summary: 'End this session',
    who: 'everybody',
    answer: done,
    errors: [400, 413, 415],
  },
  changePassword: {
    method: 'POST',
    path: '/auth/change-password',
    summary: 'Change the password; all other sessions end, and this one gets a new token',
    who: 'person',
    body: z.object({ currentPassword: z.string(), newPassword: password }),
    answer: entered,
    errors: [400, 401, 413, 415, 429],
  },
  listSessions: {
    method: 'GET',
    path: '/auth/list-sessions',
    summary: 'Where this person is signed in; only within a day of signing in',
    who: 'person',
    answer: z.array(session),
    errors: [401, 403],
  },
  revokeSession: {
    method: 'POST',
    path: '/auth/revoke-session',
    summary: 'End one session of this person',
    who: 'person',
    body: z.object({ token: z.string().describe('As listed.') }),
    answer: done,
    errors: [400, 401, 413, 415],
  },
  revokeOtherSessions: {
    method: 'POST',
    path: '/auth/revoke-other-sessions',
    summary: 'End all other sessions of this person',
    who: 'person',
    answer: done,
    errors: [400, 401, 413, 415],
  },
  revokeSessions: {
    method: 'POST',
    path: '/auth/revoke-sessions',
    summary: 'End all sessions of this person, this one too',
    who: 'person',
    answer: done,
    errors: [400, 401, 413, 415],
  },
} as const satisfies Record<string, Call>;

export type IdentityCallName = keyof typeof identityCalls;
