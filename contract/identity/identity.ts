import { z } from 'zod';
import { addressCalls } from './addresses.ts';
import { passkeyCalls } from './passkeys.ts';
import { passwordCalls } from './passwords.ts';
import { sessionCalls } from './sessions.ts';
import { signInCalls } from './sign-in.ts';
import { twoFactorCalls } from './two-factor.ts';

/** An error response of the identity calls, which do not use problem+json. */
export const identityErrorBody = z.looseObject({
  message: z.string().describe('What is wrong, in words.'),
  code: z.string().optional().describe('The error code.'),
});

/**
 * The identity calls. They are Better Auth's own protocol, mounted unchanged, and therefore not part of `contract`.
 * The schemas cover only what a client needs.
 */
export const identityCalls = {
  ...signInCalls,
  ...passwordCalls,
  ...addressCalls,
  ...twoFactorCalls,
  ...passkeyCalls,
  ...sessionCalls,
};

export type IdentityCallName = keyof typeof identityCalls;
