import { ShopError, wrongSetting } from '../../contract/errors.ts';
import { loadOnce } from '../config/load-once.ts';
import type { Auth, AuthOptions } from './auth.ts';

/**
 * Better Auth, with Google and without. It is half of all modules, so each instance is created on first use; if that
 * fails, the next call tries again.
 */
export function createLazyAuth(options: AuthOptions) {
  const { google, log } = options;
  let logged = false;

  async function load(provider: AuthOptions['google']): Promise<Auth> {
    const { createAuth } = await import('./auth.ts');
    return createAuth({ ...options, google: provider });
  }

  async function loadWithGoogle(provider: NonNullable<AuthOptions['google']>): Promise<Auth> {
    await checkDiscovery(provider.discoveryUrl);
    const auth = await load(provider);
    const context = await auth.$context;
    if (!context.socialProviders.some(({ id }) => id === 'google'))
      throw new Error('Better Auth did not add Google');
    return auth;
  }

  function toUnavailable(cause: unknown): ShopError {
    if (!(cause instanceof ShopError)) {
      const detail = 'Google cannot be reached at the moment. Try again, or sign in with your e-mail.';
      return new ShopError('unavailable', detail, { cause });
    }
    // A wrong setting, which only the shopkeeper can correct: log it once.
    if (!logged) log.error(cause.message);
    logged = true;
    return new ShopError('unavailable', 'Google sign-in is not available. Sign in with your e-mail.', {
      cause,
    });
  }

  const getWithGoogle =
    google &&
    loadOnce(() =>
      loadWithGoogle(google).catch((cause: unknown) => {
        throw toUnavailable(cause);
      }),
    );

  return {
    getAuth: loadOnce(() => load(undefined)),
    /** Throws 404 if Google sign-in is off, and 503 if the discovery document is unavailable or wrong. */
    getGoogleAuth(): Promise<Auth> {
      if (!getWithGoogle) throw new ShopError('not_found', 'This shop does not offer Google sign-in.');
      return getWithGoogle();
    },
  };
}

async function checkDiscovery(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: 'error' });
  if (!response.ok) throw new Error(`discovery responded with ${response.status}`);
  const { issuer }: { issuer?: unknown } = await response.json();
  // Otherwise one issuer could impersonate another (OpenID Connect Discovery 1.0, 4.3).
  if (`${String(issuer).replace(/\/$/, '')}/.well-known/openid-configuration` === url) return;
  const other = JSON.stringify(String(issuer).slice(0, 200));
  throw wrongSetting(
    `GOOGLE_DISCOVERY_URL is ${url}, but the document there names another issuer, ${other}.`,
  );
}
