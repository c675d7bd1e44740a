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

/** Whether the intent was made all the same; throws as for a refusal where Stripe has none, which ends that try. */
export async function findMade(
  stripe: Stripe,
  { metadata, since }: AskedIntent,
): Promise<Stripe.PaymentIntent> {
  // An hour for clocks that differ.
  const created = { gte: Math.floor(since / 1000) - 3600 };
  for await (const intent of stripe.paymentIntents.list({ created, limit: 100 })) {
    const { shop, order } = intent.metadata;
    if (shop === metadata.shop && order === metadata.order && intent.status !== 'canceled') return intent;
  }
  throw new ShopError('provider_refused', 'The payment provider failed, and nothing was begun: try again.');
}
