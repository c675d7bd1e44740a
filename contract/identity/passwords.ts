import { z } from 'zod';
import type { Call } from '../call.ts';
import { typedEmail } from '../fields.ts';
import { empty, password, signedInUser } from './fields.ts';

/** Changing and resetting passwords. */
export const passwordCalls = {
  changePassword: {
    method: 'POST',
    path: '/auth/change-password',
    summary: 'Change the password, end all other sessions and renew the token of this one',
    access: 'signed-in',
    body: z.object({ currentPassword: z.string(), newPassword: password }),
    response: signedInUser,
    errors: [429],
  },
  requestPasswordReset: {
    method: 'POST',
    path: '/auth/request-password-reset',
    summary:
      'Send a link for resetting the password, if there is an account with the address; the response is the same if not',
    access: 'everyone',
    body: z.object({ email: typedEmail }),
    response: empty,
    errors: [404, 429],
  },
  resetPassword: {
    method: 'POST',
    path: '/auth/reset-password',
    summary:
      "Set a new password with the token from a reset link, or from a link that undoes a change of the email address, and end all of the user's sessions",
    access: 'everyone',
    body: z.object({
      token: z
        .string()
        .max(100)
        .describe('Works once, within an hour, or within seven days for undoing a change.'),
      newPassword: password.describe('The most common passwords are rejected.'),
    }),
    response: empty,
  },
} as const satisfies Record<string, Call>;
