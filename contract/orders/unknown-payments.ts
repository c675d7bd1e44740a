import { z } from 'zod';
import type { Call } from '../call.ts';
import { id, modifiedCount, optionalText, page, seenVersion, time, versionedCount } from '../fields.ts';
import { paths } from '../paths.ts';

/** A payment intent that carries this shop's id but is not in its database, for example after a restore. */
const unknownPayment = z.object({
  _id: z.string().describe("The payment intent's id."),
  price: z.number(),
  currency: z.string(),
  order: z
    .string()
    .describe('The id of the purchase that it was meant for; the field is older than purchases.'),
  number: z.string().optional().describe("The purchase's number; absent if the payment does not name it."),
  late: z
    .boolean()
    .describe(
      'Whether the payment is in the database and succeeded in time, but was found after the purchase had expired and its stock was gone.',
    ),
  seenAt: time,
});
export type UnknownPayment = z.output<typeof unknownPayment>;

export const unknownOutcome = z.object({
  outcome: z
    .enum(['paid', 'refunded', 'dismissed'], 'Choose what to do')
    .describe(
      '`paid` pays the order with this payment, `refunded` refunds the whole payment at the provider, `dismissed` only removes it from the list.',
    ),
  note: optionalText('Note', 1000),
});

export const lateSettlement = z.object({
  version: seenVersion,
  outcome: z
    .enum(['accepted', 'refunded'], 'Outcome must be accepted or refunded')
    .describe(
      '`accepted` takes the stock of all products that are not deleted, and makes the purchase paid.',
    ),
});

export const unknownPaymentCalls = {
  getRestoredBackup: {
    ...paths.getRestoredBackup,
    summary: 'Get the time of the backup that a live shop was restored from, for two weeks after the restore',
    access: 'admin',
    response: z.object({ madeAt: time.optional() }),
  },
  listUnknownPayments: {
    ...paths.listUnknownPayments,
    summary:
      'List payments that an admin must decide about, newest first: missing from the database, or found after their order had expired',
    access: 'admin',
    query: page,
    response: z.array(unknownPayment),
  },
  settleUnknownPayment: {
    ...paths.settleUnknownPayment,
    summary: 'Settle a payment that is missing from the database',
    access: 'admin',
    params: z.object({ id: id.describe("The payment intent's id.") }),
    body: unknownOutcome,
    response: modifiedCount,
    errors: [402],
    conflicts: ['payment_processing', 'conflict'],
  },
  settleLatePayment: {
    ...paths.settleLatePayment,
    summary: 'Accept or refund a payment that was found after its order had expired',
    access: 'admin',
    params: z.object({ id: id.describe("The payment intent's id.") }),
    body: lateSettlement,
    response: versionedCount,
    errors: [402],
    conflicts: ['purchase_changed', 'out_of_stock', 'already_paid', 'conflict'],
  },
} as const satisfies Record<string, Call>;
