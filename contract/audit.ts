import { z } from 'zod';
import type { Call } from './call.ts';
import { page, time } from './fields.ts';
import { paths } from './paths.ts';

/** What admins do that changes something of the shop's or of somebody else's. */
export const act = z.enum([
  'addProduct',
  'deleteProduct',
  'shipOrder',
  'deleteOrder',
  'deletePicture',
  'hideReview',
  'showReview',
  'makeAdmin',
  'resetPassword',
]);
export type Act = z.output<typeof act>;

const auditEntry = z.object({
  _id: z.string(),
  at: time,
  who: z.string().describe("The admin's e-mail, or `the command line`."),
  what: act,
  of: z.string().describe('Which one: an id, of a person the e-mail.'),
  name: z
    .string()
    .describe("What it was called then, so that it is known after it is gone; '' for what has no name."),
});
export type AuditEntry = z.output<typeof auditEntry>;

export const listAudit = {
  ...paths.listAudit,
  summary: 'What admins did, the newest first; nothing takes any of it back',
  who: 'admin',
  query: page,
  answer: z.array(auditEntry),
  errors: [401, 403, 422],
} as const satisfies Call;
