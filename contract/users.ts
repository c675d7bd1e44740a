import { z } from 'zod';
import type { Call } from './call.ts';
import { email, ignored, modifiedCount, page, text, time } from './fields.ts';
import { paths } from './paths.ts';

export const user = z.object({
  _id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.literal('admin').optional(),
  address: z.string(),
  phone: z.string(),
  education: z.string(),
  linkedIn: z.string(),
  createdAt: time,
  signsInWith: z.array(z.string()).describe('How the account signs in: `password`, `google` or both.'),
});
export type User = z.output<typeof user>;

/** The profile form. The name is the identity's and read-only here: one that is sent is ignored. */
export const profile = z.object({
  address: text('Address'),
  phone: text('Phone'),
  education: text('Education'),
  linkedIn: text('LinkedIn').describe(
    'An https address at linkedin.com or a handle (`in/name`); the stored value is always accepted.',
  ),
  user: ignored,
  name: ignored,
});
export type Profile = z.output<typeof profile>;

const absent = z.never().optional();

/** After sign-in the client sends its e-mail and none of the profile's fields; the profile form sends all of them. */
const profileOrSignIn = z.union([
  profile,
  z.object({ email, address: absent, phone: absent, education: absent, linkedIn: absent }),
]);

const byEmail = z.object({ email });

export const saveUser = {
  ...paths.saveUser,
  summary: "After sign-in: the session's bearer token. With the profile's fields: saves them",
  who: 'self',
  params: byEmail,
  body: profileOrSignIn,
  answer: z.object({
    token: z.string().describe("The session's bearer token; it ends with the session."),
    modifiedCount: z.int(),
  }),
  errors: [400, 401, 403, 413, 415, 422],
} as const satisfies Call;

export const isAdmin = {
  ...paths.isAdmin,
  summary: 'Whether a person is an admin',
  who: 'self-or-admin',
  params: byEmail,
  answer: z.object({ admin: z.boolean() }),
  errors: [401, 403, 422],
} as const satisfies Call;

export const listUsers = {
  ...paths.listUsers,
  summary: 'All people, in the order in which they signed up',
  who: 'admin',
  query: page,
  answer: z.array(user),
  errors: [401, 403, 422],
} as const satisfies Call;

export const makeAdmin = {
  ...paths.makeAdmin,
  summary: 'Make a person an admin',
  who: 'admin',
  params: byEmail,
  answer: modifiedCount,
  errors: [401, 403, 404, 422],
} as const satisfies Call;
