import { z } from 'zod';
import type { Call } from '../call.ts';
import { optionalText, page, time } from '../fields.ts';
import { paths } from '../paths.ts';

/** Admin actions that are recorded in the audit log. */
export const act = z.enum([
  'addProduct',
  'editProduct',
  'archiveProduct',
  'restoreProduct',
  'deleteProduct',
  'adjustStock',
  'importProducts',
  'shipOrder',
  'editTracking',
  'undoShipment',
  'addNote',
  'changeDelivery',
  'deleteOrder',
  'refundOrder',
  'settleRefund',
  'assignRefund',
  'recordReturn',
  'reconcile',
  'settlePayment',
  'acceptPayment',
  'refundPayment',
  'deletePicture',
  'editShopDetails',
  'editShipping',
  'hideReview',
  'showReview',
  'approveReview',
  'answerReview',
  'dismissReports',
  'makeAdmin',
  'removeAdmin',
  'signOutUser',
  'changeEmail',
  'deleteAccount',
  'resetPassword',
  'retryMail',
  'answerMessage',
  'reopenMessage',
  'resetTwoFactor',
]);
export type Act = z.output<typeof act>;

export const auditEntry = z.object({
  _id: z.string(),
  at: time,
  actor: z
    .string()
    .describe(
      "The admin's email address at the time, `the command line`, or `the shop`, which records lost payments after a restore.",
    ),
  actorId: z.string().optional().describe('Absent for the command line and the shop.'),
  action: act,
  target: z
    .string()
    .describe("The target's id; for a user, the current email address, until the account is deleted."),
  number: z.string().optional().describe("The purchase's number, for an action on an existing order."),
  name: z.string().describe("The target's name at the time; empty if it has none."),
  details: z
    .string()
    .describe(
      'The changed values, one per line, such as `role: admin (was customer)`. Empty if there are none.',
    ),
});
export type AuditEntry = z.output<typeof auditEntry>;

export const auditCalls = {
  listAudit: {
    ...paths.listAudit,
    summary: 'List admin actions, newest first',
    access: 'admin',
    query: page.extend({
      actor: optionalText('Actor').describe(
        'Only actions of the admin with this id or current email address.',
      ),
      target: optionalText('Target').describe(
        'Only actions on the target with this id or current email address.',
      ),
    }),
    response: z.array(auditEntry),
  },
} as const satisfies Record<string, Call>;
