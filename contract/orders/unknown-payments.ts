import { z } from 'zod';
import type { Call } from '../call.ts';
import { dashboardPaths } from '../dashboard-paths.ts';
import { id, page, seenVersion, time, versionedCount } from '../fields.ts';

/** A payment intent that carries this shop's id but is not in its database, for example after a restore. */
const unknownPayment = z.object({
  _id: z.string().describe("The payment intent's id."),
  price: z.number(),
  currency: z.string(),
  order: z
    .string()
    .describe('The id of the purchase that it was meant for; the field is older than purchases.'),
  seenAt: time,
  number: z
    .string()
    .optional()
    .describe(
      "The purchase's number, for a payment that is in the database and succeeded in time, but was found after the purchase had expired and its stock was gone: an admin accepts or refunds it.",
    ),
});
export type UnknownPayment = z.output<typeof unknownPayment>;

export const lateSettlement = z.object({
  version: seenVersion,
  outcome: z
    .enum(['accepted', 'refunded'], 'Outcome must be accepted or refunded')
    .describe(
      '`accepted` takes the stock of all products that are not deleted, and makes the purchase paid.',
    ),
});

export const unknownPaymentCalls = {
  listUnknownPayments: {
    ...dashboardPaths.listUnknownPayments,
    summary:
      'List payments that an admin decides about: missing from the database, or found after their order had expired',
    access: 'admin',
    query: page,
    response: z.array(unknownPayment),
    errors: [401, 403, 422],
  },
  settleLatePayment: {
    ...dashboardPaths.settleLatePayment,
    summary: 'Accept or refund a payment that was found after its order had expired',
    access: 'admin',
    params: z.object({ id: id.describe("The payment intent's id.") }),
    body: lateSettlement,
    response: versionedCount,
    errors: [400, 401, 402, 403, 404, 409, 413, 415, 422],
    conflicts: ['purchase_changed', 'out_of_stock', 'already_paid', 'conflict'],
  },
} as const satisfies Record<string, Call>;
