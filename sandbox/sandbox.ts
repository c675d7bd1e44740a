import type { Kysely } from 'kysely';
import { openGoogle } from './google/google.ts';
import { isInboxPath, openMail } from './mail/mail.ts';
import { openStripe } from './stripe/stripe.ts';

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/**
 * Opens all stand-ins on one database, separate from the shop's. `deliver` sends webhook requests to the shop, and `origin`
 * is the shop's canonical origin. The returned `settings` are the URLs and keys that the real services would issue.
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
  const mail = await openMail(db, onError);
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
    mail,
    /** Serves everything under `/sandbox`, except Google's pages. */
    fetch: (request: Request): Promise<Response> =>
      isInboxPath(new URL(request.url).pathname) ? mail.fetch(request) : stripe.fetch(request),
    /** Whether only admins may open a path if others can reach the sandbox: the links in messages can reset passwords. */
    isPrivate: isInboxPath,
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
      await mail.close();
      await db.destroy();
    },
  };
}
