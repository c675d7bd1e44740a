import type { Logger } from 'pino';
import { z } from 'zod';
import { ShopError, wrongSetting } from '../../contract/errors.ts';
import { loadOnce } from '../config/load-once.ts';
import type { Services } from '../config/services.ts';
import { fetchWithin } from '../http/outgoing.ts';
import { createFairQueue } from '../http/rate-limit.ts';
import type { Auth } from './auth.ts';

type Client = NonNullable<Services['google']>;

/** Our client at Google, and the content of Google's discovery document. */
export type Google = Pick<Client, 'clientId' | 'clientSecret'> & Discovery;

/** OpenID Connect Discovery 1.0, 3. */
const discoveryDocument = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  id_token_signing_alg_values_supported: z.array(z.string()).min(1),
});
type Discovery = z.output<typeof discoveryDocument>;

/** Ten times the size of Google's largest response. */
const limits = { timeoutMs: 5000, maxBytes: 100_000 };
/** A small part of the requests that a process serves, so that others are served while Google does not answer. */
const maxRequests = 50;
const takeTurn = createFairQueue(maxRequests, 0);

/** Throws after five seconds, above 100 KB, for a redirect, and while `maxRequests` are in progress. */
export const fetchFromGoogle = (url: string | URL, init?: RequestInit): Promise<Response> =>
  takeTurn('google', () => fetchWithin(limits, url, init));

/**
 * The known values of `?error=` after a failed sign-in with Google: Better Auth's codes, and the codes that a provider may send
 * (RFC 6749, 4.1.2.1). Anything else may be a visitor's own text.
 */
export const callbackErrors: ReadonlySet<string> = new Set(
  `account_already_linked_to_different_user account_not_linked email_does_not_match email_not_found email_not_verified
  internal_server_error invalid_callback_request invalid_code issuer_mismatch issuer_missing no_callback_url no_code
  nonce_binding_missing oauth_provider_not_found state_invalid state_mismatch state_not_found unable_to_create_session
  unable_to_create_user unable_to_get_user_info unable_to_link_account unable_to_update_account
  access_denied invalid_request invalid_scope server_error temporarily_unavailable unauthorized_client
  unsupported_response_type`.split(/\s+/),
);

/**
 * Loads Better Auth with Google at the first call; if that fails, the next call tries again. Throws 404 if Google
 * sign-in is off, and 503 if the discovery document is unavailable or wrong.
 */
export function createGoogleLoader(
  client: Client | undefined,
  createAuth: (google: Google) => Promise<Auth>,
  log: Logger,
): () => Promise<Auth> {
  let logged = false;

  return loadOnce(async () => {
    if (!client) throw new ShopError('not_found', 'This shop does not offer Google sign-in.');
    try {
      const { discoveryUrl, ...keys } = client;
      return await createAuth({ ...keys, ...(await discover(discoveryUrl)) });
    } catch (cause) {
      if (!(cause instanceof ShopError))
        throw unavailable('Google cannot be reached. Try again, or sign in with your email.', cause);
      // A wrong setting, which only the operator can correct: log it once.
      if (!logged) log.error(cause.message);
      logged = true;
      throw unavailable('Google sign-in is not available. Sign in with your email.', cause);
    }
  });
}

const unavailable = (detail: string, cause: unknown) => new ShopError('unavailable', detail, { cause });

async function discover(url: string): Promise<Discovery> {
  const response = await fetchFromGoogle(url);
  if (!response.ok) throw new Error(`discovery responded with ${response.status}`);
  const found = discoveryDocument.parse(await response.json());
  // Otherwise one issuer could impersonate another (OpenID Connect Discovery 1.0, 4.3).
  if (`${found.issuer.replace(/\/$/, '')}/.well-known/openid-configuration` === url) return found;
  const other = JSON.stringify(found.issuer.slice(0, 200));
  throw wrongSetting(`GOOGLE_DISCOVERY_URL is ${url}, but the document there names the issuer ${other}.`);
}
