import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { contract } from '../../contract/contract.ts';
import { apiBase } from '../../contract/paths.ts';
import { openGoogle } from '../../sandbox/google/google.ts';
import { openStripe } from '../../sandbox/stripe/stripe.ts';
import { connect } from '../../server/database/database.ts';
import { makeDatabase } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { startShop } from '../support/shop.ts';

/**
 * Starts a shop in live mode, and the Stripe and Google stand-ins on another origin and site: they listen at 127.0.0.1, the
 * shop at localhost.
 */
export async function startShopAndServices() {
  const { place, drop } = await makeDatabase('sqlite');
  const { db } = connect<unknown>(place);
  const servicesOrigin = `http://127.0.0.1:${await findFreePort()}`;
  const shopAddress = { origin: '' };
  const stripe = await openStripe({
    db,
    webhookUrl: () => shopAddress.origin + apiBase + contract.receiveStripeEvent.path,
    deliver: fetch,
  });
  const google = await openGoogle({
    db,
    origin: () => servicesOrigin,
    redirectUris: () => [`${shopAddress.origin}${apiBase}/auth/callback/google`],
  });
  const handleStripeRequest = getRequestListener(stripe.fetch);
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith('/sandbox/google/')) google.listener(incoming, outgoing);
    else void handleStripeRequest(incoming, outgoing);
  });
  await new Promise<void>((resolve) =>
    server.listen(Number(new URL(servicesOrigin).port), '127.0.0.1', resolve),
  );

  const shop = await startShop({
    settings: {
      SHOP_CURRENCY: 'USD',
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_API_URL: `${servicesOrigin}/sandbox/stripe`,
      STRIPE_JS_URL: `${servicesOrigin}/sandbox/stripe/v3/`,
      GOOGLE_CLIENT_ID: google.clientId,
      GOOGLE_CLIENT_SECRET: google.clientSecret,
      GOOGLE_DISCOVERY_URL: servicesOrigin + google.discoveryPath,
    },
  });
  shopAddress.origin = shop.origin;
  await shop.listen();

  return {
    shop,
    /** Origin of the stand-ins. */
    servicesOrigin,
    async close() {
      await shop.close();
      server.closeAllConnections();
      server.close();
      await stripe.close();
      await db.destroy();
      await drop();
    },
  };
}
