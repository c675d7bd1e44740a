import { z } from 'zod';
import type { Call } from './call.ts';
import { page, time } from './fields.ts';
import { paths } from './paths.ts';

/** Admin actions that are recorded in the audit log. */
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
  who: z.string().describe("The admin's email address, or `the command line`."),
  what: act,
  of: z.string().describe("The target's id; for a user, the email address."),
  name: z.string().describe("The target's name at the time; empty if it has none."),
});
export type AuditEntry = z.output<typeof auditEntry>;

export const auditCalls = {
  listAudit: {
    ...paths.listAudit,
    summary: 'List admin actions, newest first',
    access: 'admin',
    query: page,
    response: z.array(auditEntry),
    errors: [401, 403, 422],
  },
} as const satisfies Record<string, Call>;
