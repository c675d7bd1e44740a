import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { onTestFinished } from 'vitest';
import { contract } from '../../contract/contract.ts';
import { apiBase } from '../../contract/paths.ts';
import { openStripe } from '../../sandbox/stripe/stripe.ts';
import { connect } from '../../server/database/database.ts';
import { listenOnFreePort } from '../support/port.ts';

/**
 * Starts this release's stand-in for Stripe outside of all shops, until the end of the test. Its tables are in the schema
 * where a sandbox has them, so the auditor finds them. `setShop` sets the origin that receives its webhooks.
 */
export async function startStripeServer(databaseUrl: string) {
  const { db } = connect<unknown>({ url: databaseUrl, schema: 'sandbox' });
  await db.schema.createSchema('sandbox').execute();
  let shopOrigin = '';
  /** Webhooks that got no response. */
  const undelivered: string[] = [];
  const stripe = await openStripe({
    db,
    webhookUrl: () => shopOrigin + apiBase + contract.receiveStripeEvent.path,
    deliver: (request) =>
      fetch(request).catch((error: Error) => {
        undelivered.push(`${error.cause ?? error}`);
        throw error;
      }),
  });
  const server = createServer(getRequestListener(stripe.fetch));
  const port = await listenOnFreePort(server);
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await stripe.close();
    await db.destroy();
  });

  return {
    origin: `http://127.0.0.1:${port}`,
    stripe,
    undelivered,
    setShop(origin: string): void {
      shopOrigin = origin;
    },
  };
}
