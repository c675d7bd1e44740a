import { wrongSetting } from '../../contract/errors.ts';
import type { Settings } from './settings.ts';

/** URLs and keys of the real services or of their stand-ins. */
export type Services = {
  stripe: {
    secretKey: string;
    publishableKey: string;
    /** Several during a rotation. */
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
const urls = ['STRIPE_API_URL', 'STRIPE_JS_URL', 'GOOGLE_DISCOVERY_URL'] as const;

/**
 * Reads the keys, all or none: without keys the stand-ins run (undefined); if one is set, all of them are required. Throws
 * `ShopError` ('bad_setting') with one sentence.
 */
export function readServices(s: Settings): Services | undefined {
  const required = s.GOOGLE_SIGN_IN === 'off' ? keys.slice(0, 3) : keys;
  if (keys.every((key) => s[key] === undefined)) {
    checkSandboxAllowed(s, required);
    return undefined;
  }
  const missing = required.filter((key) => s[key] === undefined);
  if (missing.length > 0) {
    throw wrongSetting(
      `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} not set, but the shop needs all of them to run live${missing.some((key) => key.startsWith('GOOGLE')) ? ' (or GOOGLE_SIGN_IN=off)' : ''}, or none to run in the sandbox.`,
    );
  }
  if (s.SHOP_CURRENCY === undefined)
    throw wrongSetting(
      'SHOP_CURRENCY is not set, but a live shop must choose its currency: set it, for example SHOP_CURRENCY=USD.',
    );
  const { STRIPE_SECRET_KEY: secretKey = '', STRIPE_PUBLISHABLE_KEY: publishableKey = '' } = s;
  if (s.SANDBOX === 'yes') {
    throw wrongSetting('SANDBOX is yes, but STRIPE_SECRET_KEY is set: unset one of them.');
  }
  if (secretKey.includes('_live_') !== publishableKey.includes('_live_')) {
    throw wrongSetting(
      'STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY have different modes: both must be live keys or both test keys.',
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

/** Throws unless the stand-ins may run, so that a shop meant for real cards does not run them by mistake. */
function checkSandboxAllowed(s: Settings, required: readonly string[]): void {
  if (s.SANDBOX === 'no' || (s.NODE_ENV === 'production' && s.SANDBOX !== 'yes')) {
    throw wrongSetting(
      `${required.join(', ')} are not set, and ${s.SANDBOX === 'no' ? 'SANDBOX is no' : 'NODE_ENV is production'}: set them, or set SANDBOX=yes to run with stand-ins, which charge no real cards.`,
    );
  }
  const set = urls.filter((name) => s[name] !== undefined);
  if (set.length > 0) {
    throw wrongSetting(
      `${set.join(', ')} ${set.length > 1 ? 'are' : 'is'} set, but without keys the stand-ins run, which have their own URLs: set ${required.join(', ')} as well, or unset ${set.length > 1 ? 'them' : 'it'}.`,
    );
  }
}
