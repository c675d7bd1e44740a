import type Stripe from 'stripe';
import { ShopError } from '../../../contract/errors.ts';
import { loadOnce } from '../../config/load-once.ts';
import type { Services } from '../../config/services.ts';
import type { RefundStatus } from './queries.ts';
import { getCreatedIntent, type IntentRequest, isStoredFailure } from './stored-failure.ts';

export type Intent = Stripe.PaymentIntent;
export type Provider = ReturnType<typeof createProvider>;

const stripeHost = 'https://api.stripe.com';

/** Stripe's official client. It only knows Stripe's own host, so the configured `apiUrl` replaces it in each request. */
export async function createStripeClient(
  { secretKey, apiUrl }: Pick<Services['stripe'], 'secretKey' | 'apiUrl'>,
  send: (request: Request) => Promise<Response>,
  options: { maxNetworkRetries: number; timeout: number },
): Promise<Stripe> {
  const { default: StripeClient } = await import('stripe');
  return new StripeClient(secretKey, {
    ...options,
    telemetry: false,
    httpClient: StripeClient.createFetchHttpClient((input: string | URL | Request, init?: RequestInit) =>
      send(
        new Request(
          String(input instanceof Request ? input.url : input).replace(stripeHost, apiUrl),
          // Don't send our key to an address that the provider redirects to.
          { ...init, redirect: 'error' },
        ),
      ),
    ),
  });
}

/**
 * The payment provider, Stripe. Its client is loaded at the first call. Every method throws `ShopError`: 503 if Stripe is
 * unreachable or overloaded, 402 if it refuses.
 */
export function createProvider(settings: Services['stripe'], send: (request: Request) => Promise<Response>) {
  const load = loadOnce(() => createStripeClient(settings, send, { maxNetworkRetries: 2, timeout: 10_000 }));

  async function request<T>(call: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      return await call(await load());
    } catch (cause) {
      throw toShopError(cause);
    }
  }

  return {
    livemode: settings.secretKey.includes('_live_'),

    /** Creates one intent per key. Idempotent. */
    createIntent: (intent: IntentRequest) =>
      request(async (stripe) => {
        try {
          return await stripe.paymentIntents.create(
            {
              amount: intent.amount,
              currency: intent.currency.toLowerCase(),
              // Replaces `payment_method_types`, which API version 2026-09-30.endive rejects.
              allowed_payment_method_types: ['card'],
              capture_method: 'automatic',
              metadata: intent.metadata,
            },
            { idempotencyKey: intent.key },
          );
        } catch (error) {
          if (!isStoredFailure(error)) throw error;
          return getCreatedIntent(stripe, intent);
        }
      }),

    getIntent: (id: string) => request((stripe) => stripe.paymentIntents.retrieve(id)),

    /** Cancels an intent; returns its current state if it can no longer be cancelled. */
    cancelIntent: (id: string) =>
      request(async (stripe) => {
        try {
          return await stripe.paymentIntents.cancel(id);
        } catch (error) {
          if (!hasCode(error, 'payment_intent_unexpected_state')) throw error;
          return stripe.paymentIntents.retrieve(id);
        }
      }),

    /** Refunds the rest of a payment. Idempotent. */
    refund: (intent: string) =>
      request(async (stripe) => {
        const options = { idempotencyKey: `refund:${intent}` };
        await stripe.refunds.create({ payment_intent: intent }, options).catch((error: unknown) => {
          if (!hasCode(error, 'charge_already_refunded')) throw error;
        });
        return readRefundStatus(stripe, intent);
      }),

    getRefundStatus: (intent: string) => request((stripe) => readRefundStatus(stripe, intent)),

    /** Parses an event; undefined unless it was signed with one of our secrets in the last five minutes. */
    async readEvent(body: string, signature: string): Promise<Stripe.Event | undefined> {
      const stripe = await load();
      for (const secret of settings.webhookSecrets) {
        const event = await stripe.webhooks
          .constructEventAsync(body, signature, secret)
          .catch(() => undefined);
        if (event) return event;
      }
      return undefined;
    },
  };
}

/**
 * The status of a payment's refunds, including those made by hand at the provider. It is `succeeded` only while all of
 * the money is refunded: https://docs.stripe.com/refunds#failed-refunds
 */
async function readRefundStatus(stripe: Stripe, intent: string): Promise<RefundStatus> {
  const [{ data }, { amount_received: received }] = await Promise.all([
    stripe.refunds.list({ payment_intent: intent, limit: 100 }),
    stripe.paymentIntents.retrieve(intent),
  ]);
  const [newest] = data;
  if (!newest) throw new ShopError('provider_unreachable', 'The payment provider shows no refund yet.');
  const refunded = data
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, { amount }) => sum + amount, 0);
  if (refunded >= received) return 'succeeded';
  if (data.some(({ status }) => status === 'pending' || status === 'requires_action')) return 'pending';
  return newest.status === 'canceled' ? 'canceled' : 'failed';
}

const hasCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code;

/** Error types: https://docs.stripe.com/error-handling */
function toShopError(cause: unknown): ShopError {
  if (cause instanceof ShopError) return cause;
  const type = cause instanceof Error && 'type' in cause ? cause.type : undefined;
  if (cause instanceof Error && (type === 'StripeCardError' || type === 'StripeInvalidRequestError')) {
    return new ShopError('provider_refused', `The payment provider refused: ${cause.message}`, { cause });
  }
  return new ShopError(
    'provider_unreachable',
    'The payment provider cannot be reached. Nothing has changed: try again in a moment.',
    { cause, retryAfter: 5 },
  );
}
