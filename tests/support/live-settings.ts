import type { TestShop } from './shop.ts';

/** Settings of a live shop whose provider is a Stripe stand-in, reached over the network. It sends no mail. */
export function liveSettings(provider: Pick<TestShop, 'origin' | 'stripe'>): Record<string, string> {
  return {
    SHOP_CURRENCY: 'USD',
    STRIPE_SECRET_KEY: provider.stripe.secretKey,
    STRIPE_PUBLISHABLE_KEY: provider.stripe.publishableKey,
    STRIPE_WEBHOOK_SECRET: provider.stripe.webhookSecret,
    STRIPE_API_URL: `${provider.origin}/sandbox/stripe`,
    STRIPE_JS_URL: `${provider.origin}/sandbox/stripe/v3/`,
    GOOGLE_SIGN_IN: 'off',
  };
}
