import type { Kysely } from 'kysely';
import { openGoogle } from './google/google.ts';
import { openStripe } from './stripe/stripe.ts';

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/**
 * All stand-ins on one database of their own. `settings` is what a shop is given of the real services:
 * addresses and keys. `deliver` takes events to the shop; `origin` is the shop's canonical one.
 */
export async function openSandbox(options: {
  db: Kysely<unknown>;
  origin: string;
  webhookPath: string;
  googleCallbacks: string[];
  deliver: (request: Request) => Promise<Response>;
  onError: (error: unknown) => void;
}) {
  const { db, origin, deliver, onError } = options;
  const stripe = await openStripe({ db, webhookUrl: () => origin + options.webhookPath, deliver });
  const google = await openGoogle({
    db,
    origin: () => origin,
    redirectUris: () => options.googleCallbacks,
    onError,
  });

  return {
    stripe,
    google,
    settings: {
      stripe: {
        secretKey: stripe.secretKey,
        publishableKey: stripe.publishableKey,
        webhookSecrets: [stripe.webhookSecret],
        apiUrl: `${origin}/sandbox/stripe`,
        jsUrl: `${origin}/sandbox/stripe/v3/`,
      },
      google: {
        clientId: google.clientId,
        clientSecret: google.clientSecret,
        discoveryUrl: origin + google.discoveryPath,
      },
    },
    async close() {
      await stripe.close();
      await db.destroy();
    },
  };
}
