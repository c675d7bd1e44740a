import { ShopError, wrongSetting } from '../../contract/errors.ts';
import { loadOnce } from '../config/load-once.ts';
import type { Auth, AuthOptions } from './auth.ts';

/**
 * Better Auth, with Google and without: half of all modules that the shop has, so each is made when it is first wanted,
 * and tried again at the next call where that failed.
 */
export function createLazyAuth(options: AuthOptions) {
  const { google, log } = options;
  let told = false;

  async function load(how: AuthOptions['google']): Promise<Auth> {
    const { createAuth } = await import('./auth.ts');
    return createAuth({ ...options, google: how });
  }

  async function loadWithGoogle(how: NonNullable<AuthOptions['google']>): Promise<Auth> {
    await judgeDiscovery(how.discoveryUrl);
    const made = await load(how);
    const context = await made.$context;
    if (!context.socialProviders.some(({ id }) => id === 'google'))
      throw new Error('discovery left no provider');
    return made;
  }

  function explain(cause: unknown): ShopError {
    if (!(cause instanceof ShopError)) {
      const away = 'Google cannot be reached at the moment. Try again, or sign in with your e-mail.';
      return new ShopError('unavailable', away, { cause });
    }
    // Nothing that mends itself: the shopkeeper is to hear of it, once.
    if (!told) log.error(cause.message);
    told = true;
    return new ShopError('unavailable', 'Google cannot be used here now. Sign in with your e-mail.', {
      cause,
    });
  }

  const getWithGoogle =
    google &&
    loadOnce(() =>
      loadWithGoogle(google).catch((cause: unknown) => {
        throw explain(cause);
      }),
    );

  return {
    getAuth: loadOnce(() => load(undefined)),
    /** Throws 404 where the shop has no Google, and 503 as long as its discovery document cannot be had. */
    getGoogleAuth(): Promise<Auth> {
      if (!getWithGoogle) throw new ShopError('not_found', 'This shop does not sign in with Google.');
      return getWithGoogle();
    },
  };
}

async function judgeDiscovery(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: 'error' });
  if (!response.ok) throw new Error(`discovery answered ${response.status}`);
  const { issuer }: { issuer?: unknown } = await response.json();
  // Else it would be trusted in another's name (OpenID Connect Discovery 1.0, 4.3).
  if (`${String(issuer).replace(/\/$/, '')}/.well-known/openid-configuration` === url) return;
  const other = JSON.stringify(String(issuer).slice(0, 200));
  throw wrongSetting(
    `GOOGLE_DISCOVERY_URL is ${url}, but the document there is of another issuer, ${other}.`,
  );
}
