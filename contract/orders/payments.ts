import { z } from 'zod';
import type { Call } from '../call.ts';
import { id, price } from '../fields.ts';
import { paths } from '../paths.ts';

export const paymentCalls = {
  createPaymentIntent: {
    ...paths.createPaymentIntent,
    summary: 'Get the client secret for paying an order',
    access: 'owner',
    body: z.object({
      price: price.describe('The total of the whole purchase; any other amount is rejected (409).'),
      purchase: id.optional().describe('The purchase to pay, by its id or number.'),
      order: id
        .optional()
        .describe(
          "An order of the purchase. If `purchase` and `order` are absent, the caller's only unpaid order with this price is paid; 409 if there is none, or more than one.",
        ),
    }),
    response: z.object({
      clientSecret: z
        .string()
        .describe("For the payment provider's browser script, which confirms the payment."),
    }),
    errors: [402, 429],
    conflicts: [
      'checkout_incomplete',
      'price_changed',
      'already_paid',
      'order_expired',
      'payment_processing',
      'conflict',
    ],
  },
  receiveStripeEvent: {
    ...paths.receiveStripeEvent,
    summary: 'Webhook: an event signed by the payment provider',
    access: 'provider',
    response: z.object({ received: z.literal(true) }),
    errors: [400, 402, 413],
  },
} as const satisfies Record<string, Call>;
