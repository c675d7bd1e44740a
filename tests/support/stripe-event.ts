import Stripe from 'stripe';
import type { TestShop } from './shop.ts';

/** Sends the shop a signed event, as Stripe does, that says an intent has succeeded; the shop looks for itself. */
export function sendSuccess(shop: TestShop, intent: string): Promise<Response> {
  const payload = JSON.stringify({
    id: 'evt_test',
    object: 'event',
    type: 'payment_intent.succeeded',
    livemode: false,
    data: {
      object: {
        id: intent,
        object: 'payment_intent',
        status: 'succeeded',
        amount_received: 1,
        currency: 'usd',
        metadata: {},
      },
    },
  });
  const signature = new Stripe('sk_test_none').webhooks.generateTestHeaderString({
    payload,
    secret: shop.stripe.webhookSecret,
  });
  return shop.fetch(
    new Request(`${shop.origin}/api/webhooks/stripe`, {
      method: 'POST',
      headers: { 'stripe-signature': signature },
      body: payload,
    }),
  );
}
