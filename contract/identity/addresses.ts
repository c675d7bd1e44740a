import { z } from 'zod';
import type { Call } from '../call.ts';
import { newEmail } from '../fields.ts';
import { empty } from './fields.ts';

/** Confirming and changing email addresses. */
export const addressCalls = {
  sendConfirmation: {
    method: 'POST',
    path: '/auth/send-verification-email',
    summary: "Send another link that confirms the caller's email address, unless it is confirmed",
    access: 'signed-in',
    response: empty,
    errors: [404, 429],
  },
  confirmAddress: {
    method: 'POST',
    path: '/auth/verify-email',
    summary: "Confirm the caller's email address with the token from its link",
    access: 'signed-in',
    body: z.object({ token: z.string().max(100).describe('Works once, for an hour.') }),
    response: empty,
  },
  requestEmailChange: {
    method: 'POST',
    path: '/auth/request-email-change',
    summary:
      'Send a link to a new email address for the account; the response is the same if another account has it',
    access: 'signed-in',
    body: z.object({
      newEmail,
      password: z
        .string()
        .max(1000)
        .optional()
        .describe('Required if the account has one; otherwise the sign-in must be at most ten minutes old.'),
    }),
    response: empty,
    errors: [403, 404, 422, 429],
  },
  confirmEmailChange: {
    method: 'POST',
    path: '/auth/confirm-email-change',
    summary:
      "Change the caller's email address with the token from the link to the new address, and end all of their other sessions",
    access: 'signed-in',
    body: z.object({ token: z.string().max(100).describe('Works once, for an hour.') }),
    response: empty,
    conflicts: ['conflict'],
  },
} as const satisfies Record<string, Call>;
