import { z } from 'zod';
import type { Call } from '../call.ts';
import { empty, signedInUser } from './fields.ts';

const ownPassword = z.object({ password: z.string().describe("The caller's password.") });
const trustDevice = z
  .boolean()
  .optional()
  .describe('If true, this browser needs no code for 30 days. Only when signing in.');
const recoveryCodes = z.array(z.string()).describe('Each works once, instead of a code.');

/** Two-factor sign-in. */
export const twoFactorCalls = {
  enableTwoFactor: {
    method: 'POST',
    path: '/auth/two-factor/enable',
    summary: 'Create the secret for two-factor sign-in, which `verifyCode` then turns on',
    access: 'signed-in',
    body: ownPassword,
    response: z.looseObject({
      totpURI: z.string().describe('The secret, for an authenticator app.'),
      qrCode: z
        .object({ path: z.string(), size: z.int() })
        .describe(
          'The same URI as a QR code: an SVG path with the fill rule `evenodd` in a square of this size.',
        ),
      backupCodes: recoveryCodes,
    }),
    errors: [429],
  },
  disableTwoFactor: {
    method: 'POST',
    path: '/auth/two-factor/disable',
    summary: 'Turn two-factor sign-in off and forget all trusted devices',
    access: 'signed-in',
    body: ownPassword,
    response: empty,
    errors: [403, 429],
  },
  renewRecoveryCodes: {
    method: 'POST',
    path: '/auth/two-factor/generate-backup-codes',
    summary: 'Replace the recovery codes',
    access: 'signed-in',
    body: ownPassword,
    response: z.looseObject({ backupCodes: recoveryCodes }),
    errors: [403, 429],
  },
  verifyCode: {
    method: 'POST',
    path: '/auth/two-factor/verify-totp',
    summary: 'Finish a sign-in with a code from the authenticator app, or turn two-factor sign-in on',
    access: 'everyone',
    body: z.object({ code: z.string().describe('Six digits. Works once.'), trustDevice }),
    response: signedInUser,
    errors: [401, 429],
  },
  verifyRecoveryCode: {
    method: 'POST',
    path: '/auth/two-factor/verify-backup-code',
    summary: 'Finish a sign-in with a recovery code',
    access: 'everyone',
    body: z.object({ code: z.string().describe('Such as `k7w2m-9hxqe`. Works once.'), trustDevice }),
    response: signedInUser,
    errors: [401, 429],
  },
} as const satisfies Record<string, Call>;
