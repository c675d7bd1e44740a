import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { contract } from '../../contract/contract.ts';
import { apiBase } from '../../contract/paths.ts';
import { openGoogle } from '../../sandbox/google/google.ts';
import { openStripe } from '../../sandbox/stripe/stripe.ts';
import { connect } from '../../server/database/connect.ts';
import { makeDatabase } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { startShop } from '../support/shop.ts';

/**
 * A shop with keys, as a live one has them: Stripe and Google are elsewhere, and are the stand-ins on another
 * origin, of another site even (127.0.0.1, while the shop is at localhost). Both listen.
 */
export async function startShopAndServices() {
  const { place, drop } = await makeDatabase('sqlite');
  const { db } = connect<unknown>(place);
  const services = `http://127.0.0.1:${await findFreePort()}`;
  const shopAt = { origin: '' };
  const stripe = await openStripe({
    db,
    webhookUrl: () => shopAt.origin + apiBase + contract.receiveStripeEvent.path,
    deliver: fetch,
  });
  const google = await openGoogle({
    db,
    origin: () => services,
    redirectUris: () => [`${shopAt.origin}${apiBase}/auth/callback/google`],
  });
  const answerStripe = getRequestListener(stripe.fetch);
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith('/sandbox/google/')) google.listener(incoming, outgoing);
    else void answerStripe(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(Number(new URL(services).port), '127.0.0.1', resolve));

  const shop = await startShop({
    settings: {
      SHOP_CURRENCY: 'USD',
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_API_URL: `${services}/sandbox/stripe`,
      STRIPE_JS_URL: `${services}/sandbox/stripe/v3/`,
      GOOGLE_CLIENT_ID: google.clientId,
      GOOGLE_CLIENT_SECRET: google.clientSecret,
      GOOGLE_DISCOVERY_URL: services + google.discoveryPath,
    },
  });
  shopAt.origin = shop.origin;
  await shop.listen();

  return {
    shop,
    /** The origin of the services. */
    services,
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
