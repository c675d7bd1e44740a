import type Stripe from 'stripe';
import { ShopError } from '../errors.ts';

export type AskedIntent = {
  amount: number;
  currency: string;
  metadata: Record<'shop' | 'order', string>;
  key: string;
  since: number;
};

/**
 * Stripe keeps a failure of its own, too, and answers it to this key for a day:
 * https://docs.stripe.com/api/idempotent_requests. Nobody could pay or delete the order for so long.
 */
export function isKeptFailure(error: unknown): boolean {
  if (!(error instanceof Error && 'type' in error && error.type === 'StripeAPIError')) return false;
  const headers = 'headers' in error ? error.headers : undefined;
  return (
    typeof headers === 'object' &&
    headers !== null &&
    'idempotent-replayed' in headers &&
    headers['idempotent-replayed'] === 'true'
  );
}

/** How many intents of the account are looked through, 100 a request: a customer waits meanwhile. */
const mostIntents = 1000;

/**
 * Finds the intent that was made all the same. Throws as for a refusal where Stripe has none, which ends that try, and
 * 503 where the account has too many to look through.
 */
export async function findMade(stripe: Stripe, asked: AskedIntent): Promise<Stripe.PaymentIntent> {
  // An hour for clocks that differ.
  const created = { gte: Math.floor(asked.since / 1000) - 3600 };
  let seen = 0;
  for await (const intent of stripe.paymentIntents.list({ created, limit: 100 })) {
    if (isAsked(intent, asked)) return intent;
    seen += 1;
    if (seen < mostIntents) continue;
    throw new ShopError(
      'provider_unreachable',
      'The payment provider failed, and cannot say yet whether a payment was begun. Try again later.',
      { retryAfter: 600 },
    );
  }
  throw new ShopError('provider_refused', 'The payment provider failed, and nothing was begun: try again.');
}

/** Nobody has the secret of an intent whose answer was lost, so any other state is one of an earlier try. */
function isAsked(intent: Stripe.PaymentIntent, { amount, currency, metadata }: AskedIntent): boolean {
  return (
    intent.status === 'requires_payment_method' &&
    intent.amount === amount &&
    intent.currency === currency.toLowerCase() &&
    intent.metadata.shop === metadata.shop &&
    intent.metadata.order === metadata.order
  );
}
