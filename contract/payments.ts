import { z } from 'zod';
import type { Call } from './call.ts';
import { id, page, price, time } from './fields.ts';
import { paths } from './paths.ts';

export const createPaymentIntent = {
  ...paths.createPaymentIntent,
  summary: 'The secret with which the browser pays one order',
  who: 'owner',
  /** Without `order` it is the caller's one unpaid order of that price; none or several: 409. */
  body: z.object({ price, order: id.optional() }),
  answer: z.object({ clientSecret: z.string() }),
  errors: [400, 401, 402, 404, 409, 413, 415, 422, 429],
} as const satisfies Call;

/** Money at the provider with this shop's id that its database knows nothing of, as after a restore. */
const unknownPayment = z.object({
  /** The payment intent's id. */
  _id: z.string(),
  price: z.number(),
  currency: z.string(),
  /** The id of the order that it was meant for. */
  order: z.string(),
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
