import { z } from 'zod';
import type { Call } from '../call.ts';
import { newEmail, text, typedEmail } from '../fields.ts';
import { empty, password, person, session, signedInUser } from './fields.ts';

const secondStep = z.looseObject({
  twoFactorRedirect: z
    .literal(true)
    .describe('Two-factor sign-in is on: finish with `verifyCode` or `verifyRecoveryCode`.'),
});
const googleRequest = z.object({
  provider: z.literal('google'),
  callbackURL: z.string().optional().describe('The path to return to.'),
  errorCallbackURL: z.string().optional().describe('The path to return to after a failure, with `?error=`.'),
});
const redirectUrl = z.looseObject({ url: z.string().describe('Where to send the browser.') });

/** Signing up, in and out. */
export const signInCalls = {
  signUp: {
    method: 'POST',
    path: '/auth/sign-up/email',
    summary: 'Create an account and sign in',
    access: 'everyone',
    body: z.object({
      name: text('Name', 100),
      email: newEmail,
      password: password.describe('The most common passwords are rejected.'),
    }),
    response: signedInUser,
    errors: [422, 429],
  },
  signIn: {
    method: 'POST',
    path: '/auth/sign-in/email',
    summary: 'Sign in with email address and password',
    access: 'everyone',
    body: z.object({ email: typedEmail, password: z.string() }),
    response: z.union([signedInUser, secondStep]),
    errors: [401, 429],
  },
  signInWithGoogle: {
    method: 'POST',
    path: '/auth/sign-in/social',
    summary: 'Get the URL for signing in with Google',
    access: 'everyone',
    body: googleRequest,
    response: redirectUrl,
  },
  linkGoogle: {
    method: 'POST',
    path: '/auth/link-social',
    summary:
      "Get the URL for linking a Google account to the caller's account; only within an hour of signing in",
    access: 'signed-in',
    body: googleRequest,
    response: redirectUrl,
    errors: [403],
  },
  readSession: {
    method: 'GET',
    path: '/auth/get-session',
    summary: 'Get the current session and user, or null',
    access: 'everyone',
    response: z.looseObject({ session, user: person }).nullable(),
  },
  signOut: {
    method: 'POST',
    path: '/auth/sign-out',
    summary: 'End the current session',
    access: 'everyone',
    response: empty,
  },
} as const satisfies Record<string, Call>;
