import type Stripe from 'stripe';
import { ShopError } from '../../../contract/errors.ts';

/** `amount` is in minor units, `since` the time of the first request in milliseconds. */
export type IntentRequest = {
  amount: number;
  currency: string;
  metadata: Record<'shop' | 'order', string>;
  key: string;
  since: number;
};

/**
 * Whether Stripe replayed a failure of its own. It does so for a day under the same idempotency key, and meanwhile the
 * order could be neither paid nor deleted: https://docs.stripe.com/api/idempotent_requests
 */
export function isStoredFailure(error: unknown): boolean {
  if (!(error instanceof Error && 'type' in error && error.type === 'StripeAPIError')) return false;
  const headers = 'headers' in error ? error.headers : undefined;
  return (
    typeof headers === 'object' &&
    headers !== null &&
    'idempotent-replayed' in headers &&
    headers['idempotent-replayed'] === 'true'
  );
}

/** How many of the account's intents are searched, 100 per request, while the customer waits. */
const maxIntents = 1000;

/**
 * Finds an intent that was created although the response was a failure. Throws 402 if Stripe has none, which ends this
 * payment attempt, and 503 if the account has too many intents to search.
 */
export async function getCreatedIntent(
  stripe: Stripe,
  request: IntentRequest,
): Promise<Stripe.PaymentIntent> {
  // An hour earlier, because the clocks may differ.
  const created = { gte: Math.floor(request.since / 1000) - 3600 };
  let searched = 0;
  for await (const intent of stripe.paymentIntents.list({ created, limit: 100 })) {
    if (matches(intent, request)) return intent;
    searched += 1;
    if (searched < maxIntents) continue;
    throw new ShopError(
      'provider_unreachable',
      'The payment provider failed, and it is not yet known whether a payment was started. Try again later.',
      { retryAfter: 600 },
    );
  }
  throw new ShopError(
    'provider_refused',
    'The payment provider failed, and no payment was started: try again.',
  );
}

/** An intent in any other state belongs to an earlier attempt: no browser has the secret of one whose response was lost. */
function matches(intent: Stripe.PaymentIntent, { amount, currency, metadata }: IntentRequest): boolean {
  return (
    intent.status === 'requires_payment_method' &&
    intent.amount === amount &&
    intent.currency === currency.toLowerCase() &&
    intent.metadata.shop === metadata.shop &&
    intent.metadata.order === metadata.order
  );
}
