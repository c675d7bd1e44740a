import { z } from 'zod';
import type { Call } from './call.ts';
import { email, text, time } from './fields.ts';

/*
 * The identity calls. They are Better Auth's own protocol, mounted unchanged, and therefore not part of `contract`.
 * The schemas cover only what a client needs.
 */

/** An error response of the identity calls, which do not use problem+json. */
export const identityErrorBody = z.looseObject({
  message: z.string().describe('What is wrong, in words.'),
  code: z.string().optional().describe('The error code.'),
});

const person = z.looseObject({ id: z.string(), name: z.string(), email: z.string() });
const session = z.looseObject({
  id: z.string(),
  token: z
    .string()
    .describe('Identifies the session when revoking it. Unsigned, so it does not authenticate anyone.'),
  createdAt: time,
  expiresAt: time,
});
const signedInUser = z.looseObject({ user: person });
const secondStep = z.looseObject({
  twoFactorRedirect: z
    .literal(true)
    .describe('Two-factor sign-in is on: the sign-in ends with `verifyCode` or `verifyRecoveryCode`.'),
});
const ownPassword = z.object({ password: z.string().describe("The user's own.") });
const trustDevice = z
  .boolean()
  .optional()
  .describe('If true, this browser needs no code for 30 days. Only when signing in.');
const recoveryCodes = z.array(z.string()).describe('Each works once, instead of a code.');
const password = z.string().min(6).max(128);
const empty = z.looseObject({});
const googleRequest = z.object({
  provider: z.literal('google'),
  callbackURL: z.string().optional().describe('The path to return to.'),
  errorCallbackURL: z.string().optional().describe('The path to return to after a failure, with `?error=`.'),
});
const redirectUrl = z.looseObject({ url: z.string().describe('Where to send the browser.') });

export const identityCalls = {
  signUp: {
    method: 'POST',
    path: '/auth/sign-up/email',
    summary: 'Create an account and sign in',
    access: 'everyone',
    body: z.object({
      name: text('Name', 100),
      email,
      password: password.describe('The most common passwords are rejected.'),
    }),
    response: signedInUser,
    errors: [400, 413, 415, 422, 429],
  },
  signIn: {
    method: 'POST',
    path: '/auth/sign-in/email',
    summary: 'Sign in with email address and password',
    access: 'everyone',
    body: z.object({ email, password: z.string() }),
    response: z.union([signedInUser, secondStep]),
    errors: [400, 401, 413, 415, 429],
  },
  signInWithGoogle: {
    method: 'POST',
    path: '/auth/sign-in/social',
    summary: 'Get the URL for signing in with Google',
    access: 'everyone',
    body: googleRequest,
    response: redirectUrl,
    errors: [400, 413, 415],
  },
  linkGoogle: {
    method: 'POST',
    path: '/auth/link-social',
    summary:
      "Get the URL for linking a Google account to the caller's account; only within an hour of signing in",
    access: 'signed-in',
    body: googleRequest,
    response: redirectUrl,
    errors: [400, 401, 403, 413, 415],
  },
  readSession: {
    method: 'GET',
    path: '/auth/get-session',
    summary: 'Get the current session and user, or null',
    access: 'everyone',
    response: z.looseObject({ session, user: person }).nullable(),
    errors: [],
  },
  signOut: {
    method: 'POST',
    path: '/auth/sign-out',
    summary: 'End the current session',
    access: 'everyone',
    response: empty,
    errors: [400, 413, 415],
  },
  changePassword: {
    method: 'POST',
    path: '/auth/change-password',
    summary: 'Change the password, end all other sessions and renew the token of this one',
    access: 'signed-in',
    body: z.object({ currentPassword: z.string(), newPassword: password }),
    response: signedInUser,
    errors: [400, 401, 413, 415, 429],
  },
  requestPasswordReset: {
    method: 'POST',
    path: '/auth/request-password-reset',
    summary:
      'Send a link for resetting the password, if there is an account with the address; the response is the same if not',
    access: 'everyone',
    body: z.object({ email }),
    response: empty,
    errors: [400, 404, 413, 415, 429],
  },
  resetPassword: {
    method: 'POST',
    path: '/auth/reset-password',
    summary: "Set a new password with the token of such a link, and end all of the user's sessions",
    access: 'everyone',
    body: z.object({
      token: z.string().max(100).describe('Works once, for an hour.'),
      newPassword: password.describe('The most common passwords are rejected.'),
    }),
    response: empty,
    errors: [400, 413, 415],
  },
  sendConfirmation: {
    method: 'POST',
    path: '/auth/send-verification-email',
    summary: "Send another link that confirms the caller's email address, unless it is confirmed",
    access: 'signed-in',
    response: empty,
    errors: [400, 401, 404, 413, 415, 429],
  },
  confirmAddress: {
    method: 'POST',
    path: '/auth/verify-email',
    summary: 'Confirm an email address with the token of such a link',
    access: 'everyone',
    body: z.object({ token: z.string().max(100).describe('Works once, for an hour.') }),
    response: empty,
    errors: [400, 413, 415],
  },
  enableTwoFactor: {
    method: 'POST',
    path: '/auth/two-factor/enable',
    summary: 'Create the secret of two-factor sign-in, which `verifyCode` turns on',
    access: 'signed-in',
    body: ownPassword,
    response: z.looseObject({
      totpURI: z.string().describe('The secret, for an authenticator app.'),
      qrCode: z
        .object({ path: z.string(), size: z.int() })
        .describe(
          'The same as a QR code: an SVG path with the fill rule `evenodd` in a square of this size.',
        ),
      backupCodes: recoveryCodes,
    }),
    errors: [400, 401, 413, 415, 429],
  },
  disableTwoFactor: {
    method: 'POST',
    path: '/auth/two-factor/disable',
    summary: 'Turn two-factor sign-in off, and forget all trusted devices',
    access: 'signed-in',
    body: ownPassword,
    response: empty,
    errors: [400, 401, 403, 413, 415, 429],
  },
  renewRecoveryCodes: {
    method: 'POST',
    path: '/auth/two-factor/generate-backup-codes',
    summary: 'Replace the recovery codes',
    access: 'signed-in',
    body: ownPassword,
    response: z.looseObject({ backupCodes: recoveryCodes }),
    errors: [400, 401, 403, 413, 415, 429],
  },
  verifyCode: {
    method: 'POST',
    path: '/auth/two-factor/verify-totp',
    summary: 'Finish a sign-in with a code of the authenticator app, or turn two-factor sign-in on',
    access: 'everyone',
    body: z.object({ code: z.string().describe('Six digits. Works once.'), trustDevice }),
    response: signedInUser,
    errors: [400, 401, 413, 415, 429],
  },
  verifyRecoveryCode: {
    method: 'POST',
    path: '/auth/two-factor/verify-backup-code',
    summary: 'Finish a sign-in with a recovery code',
    access: 'everyone',
    body: z.object({ code: z.string().describe('Such as `k7w2m-9hxqe`. Works once.'), trustDevice }),
    response: signedInUser,
    errors: [400, 401, 413, 415, 429],
  },
  listSessions: {
    method: 'GET',
    path: '/auth/list-sessions',
    summary: "List the caller's sessions; only within a day of signing in",
    access: 'signed-in',
    response: z.array(session),
    errors: [401, 403],
  },
  revokeSession: {
    method: 'POST',
    path: '/auth/revoke-session',
    summary: "End one of the caller's sessions",
    access: 'signed-in',
    body: z.object({ token: z.string().describe("The session's `token` in the list.") }),
    response: empty,
    errors: [400, 401, 413, 415],
  },
  revokeOtherSessions: {
    method: 'POST',
    path: '/auth/revoke-other-sessions',
    summary: "End the caller's other sessions",
    access: 'signed-in',
    response: empty,
    errors: [400, 401, 413, 415],
  },
  revokeSessions: {
    method: 'POST',
    path: '/auth/revoke-sessions',
    summary: "End all of the caller's sessions, including this one",
    access: 'signed-in',
    response: empty,
    errors: [400, 401, 413, 415],
  },
} as const satisfies Record<string, Call>;

export type IdentityCallName = keyof typeof identityCalls;
