import { z } from 'zod';
import type { Call } from '../call.ts';
import { time } from '../fields.ts';
import { empty, person, session } from './fields.ts';

const passkey = z.looseObject({
  id: z.string(),
  name: z.string().describe('The name that the user gave the passkey.'),
  createdAt: time,
});
const challenge = z
  .string()
  .describe('Works once, within five minutes, and only with the cookie that this response sets.');
/** A credential of the Web Authentication API; all values are base64url. */
const credential = { id: z.string(), rawId: z.string(), type: z.literal('public-key') };

const ownPassword = z
  .string()
  .max(1000)
  .optional()
  .describe('Required if the account has one; otherwise the sign-in must be at most ten minutes old.');

/** Passkeys (Web Authentication). A sign-in with a passkey needs neither a password nor a second step. */
export const passkeyCalls = {
  startAddingPasskey: {
    method: 'POST',
    path: '/auth/passkey/generate-register-options',
    summary: "Get the options for the browser's `navigator.credentials.create`",
    access: 'signed-in',
    body: z.object({ password: ownPassword }),
    response: z.looseObject({ challenge }).describe('`PublicKeyCredentialCreationOptionsJSON`'),
    errors: [403, 422, 429],
    conflicts: ['conflict'],
  },
  addPasskey: {
    method: 'POST',
    path: '/auth/passkey/verify-registration',
    summary: 'Add the passkey that the browser has created',
    access: 'signed-in',
    body: z.object({
      name: z.string().max(100),
      response: z
        .object({
          ...credential,
          response: z.looseObject({ clientDataJSON: z.string(), attestationObject: z.string() }),
        })
        .describe('`RegistrationResponseJSON`, without an attestation.'),
    }),
    response: passkey,
    errors: [403],
    conflicts: ['conflict'],
  },
  startPasskeySignIn: {
    method: 'POST',
    path: '/auth/passkey/generate-authenticate-options',
    summary: "Get the options for the browser's `navigator.credentials.get`",
    access: 'everyone',
    response: z.looseObject({ challenge }).describe('`PublicKeyCredentialRequestOptionsJSON`'),
    errors: [429],
  },
  signInWithPasskey: {
    method: 'POST',
    path: '/auth/passkey/verify-authentication',
    summary: 'Sign in with a passkey, which also counts as the second factor',
    access: 'everyone',
    body: z.object({
      response: z
        .object({
          ...credential,
          response: z.looseObject({
            clientDataJSON: z.string(),
            authenticatorData: z.string(),
            signature: z.string(),
          }),
        })
        .describe('`AuthenticationResponseJSON`'),
    }),
    response: z.looseObject({ session, user: person }),
    errors: [401],
  },
  listPasskeys: {
    method: 'GET',
    path: '/auth/passkey/list-user-passkeys',
    summary: "List the caller's passkeys",
    access: 'signed-in',
    response: z.array(passkey),
  },
  removePasskey: {
    method: 'POST',
    path: '/auth/passkey/delete-passkey',
    summary: "Remove one of the caller's passkeys",
    access: 'signed-in',
    body: z.object({ id: z.string().max(100), password: ownPassword }),
    response: empty,
    errors: [403, 404, 422, 429],
  },
} as const satisfies Record<string, Call>;
