import Stripe from 'stripe';
import type { TestShop } from './shop.ts';

const now = () => Math.floor(Date.now() / 1000);

/** The `stripe-signature` header of an event; `timestamp` is in seconds. */
export const signEvent = (payload: string, secret: string, timestamp = now()) =>
  new Stripe('sk_test_none').webhooks.generateTestHeaderString({ payload, secret, timestamp });

/** A `Stripe-Signature` header in the right form, which no event matches. */
export const forgedSignature = `t=1,v1=${'0'.repeat(64)}`;

/** Posts bytes to the shop's webhook. */
export const postEvent = (shop: TestShop, body: string, signature?: string): Promise<Response> =>
  shop.fetch(
    new Request(`${shop.origin}/api/webhooks/stripe`, {
      method: 'POST',
      headers: signature === undefined ? {} : { 'stripe-signature': signature },
      body,
    }),
  );

/** Sends a signed event as Stripe does. `change` is appended after signing, so that the signature no longer matches. */
export function sendEvent(
  shop: TestShop,
  event: object,
  { secret = shop.stripe.webhookSecret, timestamp = now(), change = '' } = {},
): Promise<Response> {
  const payload = JSON.stringify(event);
  return postEvent(shop, payload + change, signEvent(payload, secret, timestamp));
}

/** A `charge.refunded` event. */
export const refundedEvent = (intent: string) =>
  succeededEvent(intent, { type: 'charge.refunded', data: { object: { payment_intent: intent } } });

/** A `payment_intent.succeeded` event. */
export const succeededEvent = (intent: string, more: object = {}) => ({
  id: 'evt_test',
  object: 'event',
  type: 'payment_intent.succeeded',
  livemode: false,
  data: {
    object: {
      id: intent,
      object: 'payment_intent',
      status: 'succeeded',
      amount_received: 1250,
      currency: 'usd',
      metadata: {},
    },
  },
  ...more,
});
