import { z } from 'zod';
import type { Call } from '../call.ts';
import { deletedCount, email, ignored, modifiedCount, optionalText, page, text, time } from '../fields.ts';
import { paths } from '../paths.ts';

export const user = z.object({
  _id: z.string(),
  email: z.string(),
  emailVerified: z
    .boolean()
    .describe('Whether the user has confirmed the address, with a link in a message or through Google.'),
  name: z.string(),
  role: z.literal('admin').optional(),
  address: z.string(),
  phone: z.string(),
  education: z.string(),
  linkedIn: z.string(),
  createdAt: time,
  signsInWith: z.array(z.string()).describe('`password`, `google` or both.'),
});
export type User = z.output<typeof user>;

/** The profile form. */
export const profile = z.object({
  address: text('Address'),
  phone: text('Phone'),
  education: text('Education'),
  linkedIn: text('LinkedIn').describe(
    'An https URL at linkedin.com or a handle (`in/name`); the stored value is always accepted.',
  ),
  user: ignored,
  name: ignored,
});
export type Profile = z.output<typeof profile>;

const absent = z.never().optional();

/** After sign-in the client sends its email address alone; the profile form sends every profile field. */
const profileOrSignIn = z.union([
  profile,
  z.object({ email, address: absent, phone: absent, education: absent, linkedIn: absent }),
]);

const byEmail = z.object({ email });

export const userCalls = {
  saveUser: {
    ...paths.saveUser,
    summary: "Get the session's bearer token after sign-in, or save the profile",
    access: 'self',
    params: byEmail,
    body: profileOrSignIn,
    response: z.object({
      token: z.string().describe("The session's bearer token; it ends with the session."),
      modifiedCount: z.int(),
    }),
  },
  isAdmin: {
    ...paths.isAdmin,
    summary: 'Check whether a user is an admin',
    access: 'self-or-admin',
    params: byEmail,
    response: z.object({ admin: z.boolean() }),
  },
  listUsers: {
    ...paths.listUsers,
    summary: 'List users, oldest account first',
    access: 'admin',
    query: page.extend({
      q: optionalText('Search', 100).describe(
        'Only users whose email address starts with this text, or whose name has it at the start of a word; also the customer of the purchase with this number. Accents and case do not matter in names, and apostrophes and hyphens separate words.',
      ),
    }),
    response: z.array(user),
  },
  makeAdmin: {
    ...paths.makeAdmin,
    summary: 'Make a user an admin; in a live shop that sends mail, only one whose address is confirmed',
    access: 'admin',
    params: byEmail,
    response: modifiedCount,
    errors: [404],
    conflicts: ['address_unconfirmed'],
  },
  removeAdmin: {
    ...paths.removeAdmin,
    summary: 'Revoke the role of an admin, unless they are the last one',
    access: 'admin',
    params: byEmail,
    response: modifiedCount,
    errors: [404],
    conflicts: ['last_admin'],
  },
  signOutUser: {
    ...paths.signOutUser,
    summary: "End all of a user's sessions",
    access: 'admin',
    params: byEmail,
    response: deletedCount,
    errors: [404],
  },
} as const satisfies Record<string, Call>;
