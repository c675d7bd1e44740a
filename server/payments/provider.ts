import type Stripe from 'stripe';
import { ShopError } from '../errors.ts';
import { loadOnce } from '../loaded.ts';
import type { Services } from '../services.ts';
import { type AskedIntent, findMade, isKeptFailure } from './kept-failure.ts';
import type { RefundStatus } from './queries.ts';

export type Intent = Stripe.PaymentIntent;
export type Provider = ReturnType<typeof openProvider>;

const stripeHost = 'https://api.stripe.com';

/** The official client of Stripe; it knows one host, so the address is put in here. `send` is how requests leave. */
export async function connectStripe(
  { secretKey, apiUrl }: Pick<Services['stripe'], 'secretKey' | 'apiUrl'>,
  send: (request: Request) => Promise<Response>,
  patience: { maxNetworkRetries: number; timeout: number },
): Promise<Stripe> {
  const { default: StripeClient } = await import('stripe');
  return new StripeClient(secretKey, {
    ...patience,
    telemetry: false,
    httpClient: StripeClient.createFetchHttpClient((input: string | URL | Request, init?: RequestInit) =>
      send(
        new Request(
          String(input instanceof Request ? input.url : input).replace(stripeHost, apiUrl),
          // Our key goes to that address and to none that it names.
          { ...init, redirect: 'error' },
        ),
      ),
    ),
  });
}

/**
 * Stripe, by its official package, which is loaded at the first call. Everything throws `ShopError`: 503 where Stripe
 * is out of reach or overloaded, 402 where it refuses.
 */
export function openProvider(settings: Services['stripe'], send: (request: Request) => Promise<Response>) {
  const load = loadOnce(() => connectStripe(settings, send, { maxNetworkRetries: 2, timeout: 10_000 }));

  async function ask<T>(call: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      return await call(await load());
    } catch (cause) {
      throw translated(cause);
    }
  }

  return {
    livemode: settings.secretKey.includes('_live_'),

    /** One intent per key, however often it is asked for. `amount` in minor units; `since` is when it was first. */
    createIntent: (asked: AskedIntent) =>
      ask(async (stripe) => {
        try {
          return await stripe.paymentIntents.create(
            {
              amount: asked.amount,
              currency: asked.currency.toLowerCase(),
              // What `payment_method_types` was until API version 2026-09-30.endive, which refuses that name.
              allowed_payment_method_types: ['card'],
              capture_method: 'automatic',
              metadata: asked.metadata,
            },
            { idempotencyKey: asked.key },
          );
        } catch (error) {
          if (!isKeptFailure(error)) throw error;
          return findMade(stripe, asked);
        }
      }),

    getIntent: (id: string) => ask((stripe) => stripe.paymentIntents.retrieve(id)),

    /** Cancels, or gives the intent as it is where it can no longer be cancelled. */
    cancelIntent: (id: string) =>
      ask(async (stripe) => {
        try {
          return await stripe.paymentIntents.cancel(id);
        } catch (error) {
          if (!hasCode(error, 'payment_intent_unexpected_state')) throw error;
          return stripe.paymentIntents.retrieve(id);
        }
      }),

    /** Refunds what is left of a payment, only once however often it is called. */
    refund: (intent: string) =>
      ask(async (stripe) => {
        const once = { idempotencyKey: `refund:${intent}` };
        await stripe.refunds.create({ payment_intent: intent }, once).catch((error: unknown) => {
          if (!hasCode(error, 'charge_already_refunded')) throw error;
        });
        return readRefundStatus(stripe, intent);
      }),

    getRefundStatus: (intent: string) => ask((stripe) => readRefundStatus(stripe, intent)),

    /** The event that these bytes are, or undefined where none of our secrets signed them in the last five minutes. */
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
  const { data } = await stripe.refunds.list({ payment_intent: intent, limit: 100, expand: ['data.charge'] });
  const [newest] = data;
  if (!newest) throw new ShopError('provider_unreachable', 'The payment provider shows no refund yet.');
  const captured = typeof newest.charge === 'object' ? newest.charge?.amount_captured : undefined;
  const refunded = data
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, { amount }) => sum + amount, 0);
  if (captured !== undefined && refunded >= captured) return 'succeeded';
  if (data.some(({ status }) => status === 'pending' || status === 'requires_action')) return 'pending';
  return newest.status === 'canceled' ? 'canceled' : 'failed';
}

const hasCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code;

/** Types of error as in https://docs.stripe.com/error-handling. */
function translated(cause: unknown): ShopError {
  if (cause instanceof ShopError) return cause;
  const type = cause instanceof Error && 'type' in cause ? cause.type : undefined;
  if (cause instanceof Error && (type === 'StripeCardError' || type === 'StripeInvalidRequestError')) {
    return new ShopError('provider_refused', `The payment provider refused: ${cause.message}`, { cause });
  }
  return new ShopError(
    'provider_unreachable',
    'The payment provider cannot be reached. Nothing has changed: try again in a moment.',
    {
      cause,
      retryAfter: 5,
    },
  );
}
