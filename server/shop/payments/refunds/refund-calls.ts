import type Stripe from 'stripe';
import { z } from 'zod';
import { ShopError } from '../../../../contract/errors.ts';
import type { RefundStatus } from '../../../../contract/orders/refunds.ts';
import type { Refund } from '../../orders/refund-rows.ts';
import { isStripeError } from '../stripe-client.ts';
import { writeMetadata } from './refund-metadata.ts';

/** Calls Stripe, and throws `ShopError` if that fails or the response cannot be parsed. */
type Send = <T>(call: (stripe: Stripe) => Promise<T>) => Promise<T>;
type RefundRequest = Pick<Refund, 'amount' | 'reason' | 'intent'> & Parameters<typeof writeMetadata>[1];

const text = z
  .string()
  .max(500)
  .regex(/^[^\0]*$/);
const seconds = z
  .int()
  .min(0)
  .max(2 ** 33);

/** The fields of a refund that the shop uses: https://docs.stripe.com/api/refunds/object */
const refundShape = z.object({
  id: text,
  payment_intent: text.nullable(),
  amount: z.int().min(1),
  currency: text,
  status: text.nullable(),
  reason: text.nullable(),
  failure_reason: text.optional(),
  metadata: z.record(z.string(), z.string()).nullable(),
  created: seconds,
});
export type ProviderRefund = z.output<typeof refundShape>;

/** The fields of a dispute that the shop uses: https://docs.stripe.com/api/disputes/object */
const disputeShape = z.object({
  id: text,
  payment_intent: text.nullable(),
  amount: z.int().min(0),
  currency: text,
  status: text,
  reason: text,
  created: seconds,
  evidence_details: z.object({ due_by: seconds.nullable() }).optional(),
});
export type ProviderDispute = z.output<typeof disputeShape>;

/** How many refunds of one payment are read. */
const maxRefunds = 1000;

export const toSeconds = (ms: number): number => Math.floor(ms / 1000);

/** The provider's methods for refunds and disputes. */
export function createRefundCalls(request: Send) {
  return {
    /** Refunds the rest of a payment. Idempotent. */
    refundRemainder: (intent: string) =>
      request(async (stripe) => {
        const options = { idempotencyKey: `refund:${intent}` };
        await stripe.refunds.create({ payment_intent: intent }, options).catch((error: unknown) => {
          if (!(error instanceof Error && 'code' in error && error.code === 'charge_already_refunded'))
            throw error;
        });
        return readPaymentRefund(stripe, intent);
      }),

    getPaymentRefund: (intent: string) => request((stripe) => readPaymentRefund(stripe, intent)),

    /** Refunds part of a payment. Idempotent. */
    createRefund: (shopId: string, refund: RefundRequest) =>
      request((stripe) =>
        stripe.refunds.create(
          {
            payment_intent: refund.intent,
            amount: refund.amount,
            metadata: writeMetadata(shopId, refund),
            ...(refund.reason === 'other' ? {} : { reason: refund.reason }),
          },
          { idempotencyKey: `${shopId}:refund:${refund.id}` },
        ),
      ),

    /**
     * All refunds of a payment, newest first. If the provider refuses, throws `provider_unreachable`, because a 402 would mean
     * that a refund has failed. If the response cannot be parsed, throws `unavailable`.
     */
    listRefunds: (intent: string) =>
      request(async (stripe) => {
        const list = stripe.refunds.list({ payment_intent: intent, limit: 100 });
        const refunds = await list.autoPagingToArray({ limit: maxRefunds }).catch((cause: unknown) => {
          if (!isStripeError(cause)) throw cause;
          const detail = 'The payment provider did not list the refunds of this payment.';
          throw new ShopError('provider_unreachable', detail, { cause, retryAfter: 5 });
        });
        return z.array(refundShape).parse(refunds);
      }),

    /** The newest 100 refunds of the account. */
    listNewestRefunds: () =>
      request(async (stripe) => z.array(refundShape).parse((await stripe.refunds.list({ limit: 100 })).data)),

    /** All refunds of the account since a time in milliseconds, oldest first. */
    listRefundsSince: (since: number) =>
      request(async (stripe) => {
        const refunds: unknown[] = [];
        for await (const refund of stripe.refunds.list({ created: { gte: toSeconds(since) }, limit: 100 }))
          refunds.push(refund);
        return z.array(refundShape).parse(refunds).toReversed();
      }),

    getDispute: (id: string) =>
      request(async (stripe) => disputeShape.parse(await stripe.disputes.retrieve(id))),

    /** The newest 100 disputes of the account. */
    listNewestDisputes: () =>
      request(async (stripe) =>
        z.array(disputeShape).parse((await stripe.disputes.list({ limit: 100 })).data),
      ),
  };
}

/** The state of the refund of a whole payment. */
export type PaymentRefund = { providerId: string; status: RefundStatus; failure: string };

/**
 * `succeeded` if the succeeded refunds, including those made by hand at the provider, cover the whole payment:
 * https://docs.stripe.com/refunds#failed-refunds
 */
async function readPaymentRefund(stripe: Stripe, intent: string): Promise<PaymentRefund> {
  const [{ data }, { amount_received: received }] = await Promise.all([
    stripe.refunds.list({ payment_intent: intent, limit: 100 }),
    stripe.paymentIntents.retrieve(intent),
  ]);
  const [newest] = data;
  if (!newest) throw new ShopError('provider_unreachable', 'The payment provider shows no refund yet.');
  const refunded = data
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, { amount }) => sum + amount, 0);
  const newestRefund = { providerId: newest.id, failure: '' };
  if (refunded >= received) return { ...newestRefund, status: 'succeeded' };
  if (data.some(({ status }) => status === 'pending' || status === 'requires_action'))
    return { ...newestRefund, status: 'pending' };
  const status = newest.status === 'canceled' ? 'canceled' : 'failed';
  return { ...newestRefund, status, failure: newest.failure_reason ?? '' };
}
