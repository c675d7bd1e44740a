import { z } from 'zod';
import { time } from '../fields.ts';

export const person = z.looseObject({ id: z.string(), name: z.string(), email: z.string() });
export const session = z.looseObject({
  id: z.string(),
  token: z
    .string()
    .describe('Identifies the session when revoking it. Unsigned, so it does not authenticate anyone.'),
  createdAt: time,
  expiresAt: time,
});
export const signedInUser = z.looseObject({ user: person });
export const password = z.string().min(6).max(128);
export const empty = z.looseObject({});
