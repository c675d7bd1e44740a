import type Stripe from 'stripe';
import { ShopError } from '../../../contract/errors.ts';
import { loadOnce } from '../../config/load-once.ts';
import { isLiveKey, type Services } from '../../config/services.ts';
import { createRefundCalls, toSeconds } from './refunds/refund-calls.ts';
import type { PaymentRow } from './settle.ts';
import {
  callStripe,
  createStripeClient,
  findProviderProblem,
  isForbidden,
  isFromStripe,
  isStripeError,
  type ProviderProblem,
  refusesAllPayments,
} from './stripe-client.ts';

export type Intent = Stripe.PaymentIntent;
export type Provider = ReturnType<typeof createProvider>;

/** `created_at` is the time of the first request; `number` is the purchase's number. */
export type IntentRequest = Pick<
  PaymentRow,
  'purchase_id' | 'attempt' | 'amount' | 'currency' | 'created_at'
> & {
  number: string;
};

/** How many of the account's intents are searched, 100 per request, while the customer waits. */
const maxIntents = 1000;

/** Stripe's client still repeats a request once if its connection was closed. */
const maxRetries = {
  /** A person waits for the answer. */
  person: 1,
  /** The next run of the periodic work, or the next delivery of the event, is the retry. */
  background: 0,
};

/**
 * Every method throws `ShopError`: 503 if Stripe is unreachable or overloaded, 402 if it refuses. `record` gets the outcome of each
 * request that Stripe has answered or should have answered.
 */
export function createProvider(
  settings: Services['stripe'],
  send: (request: Request) => Promise<Response>,
  caller: keyof typeof maxRetries,
  record: (service: 'payments' | 'new payments', problem?: ProviderProblem) => void = () => undefined,
) {
  const options = { maxNetworkRetries: maxRetries[caller], timeout: 10_000 };
  const load = loadOnce(() => createStripeClient(settings, send, options));
  async function request<T>(call: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      const result = await callStripe(load, call);
      record('payments');
      return result;
    } catch (error) {
      // An exception of our own says nothing about Stripe.
      if (isFromStripe(error)) record('payments', findProviderProblem(error));
      throw error;
    }
  }
  const getAccountId = loadOnce(() =>
    request(async (stripe) => {
      try {
        return (await stripe.accounts.retrieveCurrent()).id;
      } catch (error) {
        if (isForbidden(error)) return null;
        throw error;
      }
    }),
  );

  return {
    livemode: isLiveKey(settings.secretKey),

    /** Creates one intent per attempt to pay a purchase. Idempotent. `shopId` marks the intent on the provider's account. */
    async createIntent(shopId: string, payment: IntentRequest): Promise<Intent> {
      try {
        const intent = await request((stripe) => createIntent(stripe, shopId, payment));
        record('new payments');
        return intent;
      } catch (error) {
        const problem = refusesAllPayments(error) ? 'refused' : findProviderProblem(error);
        if (problem) record('new payments', problem);
        throw error;
      }
    },

    /** Calls Stripe only so that `record` gets the outcome. */
    check: () => request((stripe) => stripe.paymentIntents.list({ limit: 1 })),

    /** The id of our account; null if the key is restricted and cannot read it. It is read once. */
    getAccountId,

    getIntent: (id: string) => request((stripe) => stripe.paymentIntents.retrieve(id)),

    /** When the charge of an intent that has succeeded was made, in milliseconds. */
    getChargeTime: ({ id, latest_charge: charge }: Intent) =>
      request(async (stripe) => {
        if (charge === null) throw new ShopError('provider_refused', `The payment ${id} has no charge.`);
        const { created } = await stripe.charges.retrieve(typeof charge === 'string' ? charge : charge.id);
        return created * 1000;
      }),

    /** All intents of the account since a time in milliseconds that have succeeded for this shop, oldest first. */
    listPaidIntents: (shopId: string, since: number) =>
      request(async (stripe) => {
        const intents: Intent[] = [];
        for await (const intent of stripe.paymentIntents.list({
          created: { gte: toSeconds(since) },
          limit: 100,
        }))
          if (intent.status === 'succeeded' && intent.metadata.shop === shopId) intents.push(intent);
        return intents.toReversed();
      }),

    /** Cancels an intent; returns its current state if it can no longer be cancelled. */
    cancelIntent: (id: string) =>
      request(async (stripe) => {
        try {
          return await stripe.paymentIntents.cancel(id);
        } catch (error) {
          if (isStripeError(error) && error.code === 'payment_intent_unexpected_state')
            return stripe.paymentIntents.retrieve(id);
          throw error;
        }
      }),

    ...createRefundCalls(request),

    /** Parses an event; undefined unless it was signed with one of our secrets in the last five minutes. */
    async readEvent(body: string, signature: string): Promise<Stripe.Event | undefined> {
      const stripe = await load();
      for (const secret of settings.webhookSecrets) {
        const parsed = stripe.webhooks.constructEventAsync(body, signature, secret);
        const event = await parsed.catch(() => undefined);
        if (event) return event;
      }
      return undefined;
    },
  };
}

/** Creates the intent, or finds it if Stripe replays a failure. */
async function createIntent(stripe: Stripe, shopId: string, payment: IntentRequest): Promise<Intent> {
  const { purchase_id: order, number, attempt, amount, currency } = payment;
  try {
    return await stripe.paymentIntents.create(
      {
        amount,
        currency: currency.toLowerCase(),
        // Replaces `payment_method_types`, which API version 2026-09-30.endive rejects.
        allowed_payment_method_types: ['card'],
        capture_method: 'automatic',
        // Names the purchase in the provider's dashboard.
        description: `Order ${number}`,
        metadata: { shop: shopId, order, number },
      },
      { idempotencyKey: `${shopId}:${order}:${number}:${attempt}:${amount}:${currency}` },
    );
  } catch (error) {
    // For a day, Stripe replays its own failure under the same idempotency key. Meanwhile, the order could be neither paid
    // nor deleted: https://docs.stripe.com/api/idempotent_requests
    if (
      isStripeError(error) &&
      error.type === 'StripeAPIError' &&
      error.headers?.['idempotent-replayed'] === 'true'
    )
      return getCreatedIntent(stripe, shopId, payment);
    throw error;
  }
}

/** Throws 402 if Stripe has no such intent, which ends the payment attempt, and 503 after `maxIntents`. */
async function getCreatedIntent(
  stripe: Stripe,
  shopId: string,
  { purchase_id, amount, currency, created_at }: IntentRequest,
): Promise<Intent> {
  // Search from an hour earlier, because the clocks may differ.
  const created = { gte: Math.floor(created_at / 1000) - 3600 };
  let searched = 0;
  for await (const intent of stripe.paymentIntents.list({ created, limit: 100 })) {
    if (
      // An intent in any other state is of an earlier attempt: no browser has the secret of an intent whose response was lost.
      intent.status === 'requires_payment_method' &&
      intent.amount === amount &&
      intent.currency === currency.toLowerCase() &&
      intent.metadata.shop === shopId &&
      intent.metadata.order === purchase_id
    )
      return intent;
    searched += 1;
    if (searched < maxIntents) continue;
    const detail = 'It is not yet known whether the payment was started. Try again later.';
    throw new ShopError('provider_unreachable', detail, { retryAfter: 600 });
  }
  throw new ShopError('provider_refused', 'The provider failed, and no payment was started: try again.');
}
