import { z } from 'zod';
import type { Call } from './call.ts';
import { id, page, price, time } from './fields.ts';
import { paths } from './paths.ts';

export const createPaymentIntent = {
  ...paths.createPaymentIntent,
  summary: 'The secret with which the browser pays one order',
  who: 'owner',
  body: z.object({
    price: price.describe("The order's total; a differing one is refused (409)."),
    order: id
      .optional()
      .describe("Without it, it is the caller's one unpaid order of that price; none or several: 409."),
  }),
  answer: z.object({
    clientSecret: z
      .string()
      .describe("For the provider's script in the browser, which confirms the payment."),
  }),
  errors: [400, 401, 402, 404, 409, 413, 415, 422, 429],
  conflicts: [
    'price_changed',
    'already_paid',
    'payment_processing',
    'out_of_stock',
    'too_many_unpaid',
    'conflict',
  ],
} as const satisfies Call;

/** Money at the provider with this shop's id that its database knows nothing of, as after a restore. */
const unknownPayment = z.object({
  _id: z.string().describe("The payment intent's id."),
  price: z.number(),
  currency: z.string(),
  order: z.string().describe('The id of the order that it was meant for.'),
  seenAt: time,
});
export type UnknownPayment = z.output<typeof unknownPayment>;

export const listUnknownPayments = {
  ...paths.listUnknownPayments,
  summary: 'Payments with our id that this database does not know: for an admin to judge',
  who: 'admin',
  query: page,
  answer: z.array(unknownPayment),
  errors: [401, 403, 422],
} as const satisfies Call;

export const receiveStripeEvent = {
  ...paths.receiveStripeEvent,
  summary: 'An event of the payment provider, signed by it',
  who: 'provider',
  answer: z.object({ received: z.literal(true) }),
  errors: [400, 402, 413],
} as const satisfies Call;
