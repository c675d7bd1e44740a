import { z } from 'zod';
import type { Call } from '../call.ts';
import { dashboardPaths } from '../dashboard-paths.ts';
import { page, time } from '../fields.ts';

/** A payment intent that carries this shop's id but is not in its database, for example after a restore. */
const unknownPayment = z.object({
  _id: z.string().describe("The payment intent's id."),
  price: z.number(),
  currency: z.string(),
  order: z
    .string()
    .describe('The id of the purchase that it was meant for; the field is older than purchases.'),
  seenAt: time,
});
export type UnknownPayment = z.output<typeof unknownPayment>;

export const unknownPaymentCalls = {
  listUnknownPayments: {
    ...dashboardPaths.listUnknownPayments,
    summary: 'List payments with our shop id that are missing from the database; an admin decides what to do',
    access: 'admin',
    query: page,
    response: z.array(unknownPayment),
    errors: [401, 403, 422],
  },
} as const satisfies Record<string, Call>;
