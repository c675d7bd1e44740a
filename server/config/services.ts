import { wrongSetting } from '../../contract/errors.ts';
import type { Settings } from './settings.ts';

/** The stand-ins' or the real services' addresses and keys. */
export type Services = {
  stripe: {
    secretKey: string;
    publishableKey: string;
    /** Several while one is being replaced. */
    webhookSecrets: string[];
    apiUrl: string;
    jsUrl: string;
  };
  google: { clientId: string; clientSecret: string; discoveryUrl: string } | undefined;
};

const stripeApi = 'https://api.stripe.com';
const stripeJs = 'https://js.stripe.com/endive/stripe.js';
const googleDiscovery = 'https://accounts.google.com/.well-known/openid-configuration';

const keys = [
  'STRIPE_SECRET_KEY',
  'STRIPE_PUBLISHABLE_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'GOOGLE_CLIENT_ID',
  'GOOGLE_CLIENT_SECRET',
] as const;
const addresses = ['STRIPE_API_URL', 'STRIPE_JS_URL', 'GOOGLE_DISCOVERY_URL'] as const;

/**
 * All or nothing: without any key the stand-ins run (undefined); with one, every key that is needed must be
 * there. Throws `ShopError` ('bad_setting') with one sentence.
 */
export function readServices(s: Settings): Services | undefined {
  const needed = s.GOOGLE_SIGN_IN === 'off' ? keys.slice(0, 3) : keys;
  if (keys.every((key) => s[key] === undefined)) {
    judgeSandbox(s, needed);
    return undefined;
  }
  const missing = needed.filter((key) => s[key] === undefined);
  if (missing.length > 0) {
    throw wrongSetting(
      `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} not set, but the shop runs live with all of them${missing.some((key) => key.startsWith('GOOGLE')) ? ' (or with GOOGLE_SIGN_IN=off)' : ''} or in the sandbox with none.`,
    );
  }
  if (s.SHOP_CURRENCY === undefined)
    throw wrongSetting(
      'SHOP_CURRENCY is not set, but a live shop must say which currency it charges: set it, for example SHOP_CURRENCY=USD.',
    );
  const { STRIPE_SECRET_KEY: secretKey = '', STRIPE_PUBLISHABLE_KEY: publishableKey = '' } = s;
  if (s.SANDBOX === 'yes') {
    throw wrongSetting('SANDBOX is yes, but STRIPE_SECRET_KEY is set: unset one of them.');
  }
  if (secretKey.includes('_live_') !== publishableKey.includes('_live_')) {
    throw wrongSetting(
      'STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY are not of one mode: both must be live keys or both test keys.',
    );
  }
  return {
    stripe: {
      secretKey,
      publishableKey,
      webhookSecrets: s.STRIPE_WEBHOOK_SECRET ?? [],
      apiUrl: (s.STRIPE_API_URL ?? stripeApi).replace(/\/$/, ''),
      jsUrl: s.STRIPE_JS_URL ?? stripeJs,
    },
    google:
      s.GOOGLE_SIGN_IN === 'off' || !s.GOOGLE_CLIENT_ID || !s.GOOGLE_CLIENT_SECRET
        ? undefined
        : {
            clientId: s.GOOGLE_CLIENT_ID,
            clientSecret: s.GOOGLE_CLIENT_SECRET,
            discoveryUrl: s.GOOGLE_DISCOVERY_URL ?? googleDiscovery,
          },
  };
}

/** Whether the stand-ins may run: not by mistake where real cards were meant. */
function judgeSandbox(s: Settings, needed: readonly string[]): void {
  if (s.SANDBOX === 'no' || (s.NODE_ENV === 'production' && s.SANDBOX !== 'yes')) {
    throw wrongSetting(
      `${needed.join(', ')} are not set, and ${s.SANDBOX === 'no' ? 'SANDBOX is no' : 'NODE_ENV is production'}: set them, or set SANDBOX=yes to run with stand-ins that charge no real card.`,
    );
  }
  const set = addresses.filter((name) => s[name] !== undefined);
  if (set.length > 0) {
    throw wrongSetting(
      `${set.join(', ')} ${set.length > 1 ? 'are' : 'is'} set, but without keys the stand-ins run, which have their own addresses: set ${needed.join(', ')} as well, or unset ${set.length > 1 ? 'them' : 'it'}.`,
    );
  }
}
