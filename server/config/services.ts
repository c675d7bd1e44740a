import { wrongSetting } from '../../contract/errors.ts';
import type { Settings } from './settings.ts';

/** URLs and keys of the real services or of their stand-ins. */
export type Services = NonNullable<ReturnType<typeof readServices>>;

const googleDiscovery = 'https://accounts.google.com/.well-known/openid-configuration';
const stripeKeys = ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;
const googleKeys = ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'] as const;
const urls = ['STRIPE_API_URL', 'STRIPE_JS_URL', 'GOOGLE_DISCOVERY_URL'] as const;

/** Requires all keys or none. Without keys, returns undefined, and the stand-ins run. Throws `bad_setting` with one sentence. */
export function readServices(s: Settings) {
  const isUnset = (name: keyof Settings) => s[name] === undefined;
  const hasGoogle = s.GOOGLE_SIGN_IN === 'on';
  const required = hasGoogle ? [...stripeKeys, ...googleKeys] : stripeKeys;
  if ([...stripeKeys, ...googleKeys].every(isUnset)) {
    checkSandboxAllowed(s, required.join(', '));
    return undefined;
  }
  const missing = required.filter(isUnset);
  if (missing.length > 0) {
    const unlessGoogleIsOff = googleKeys.some(isUnset) && hasGoogle ? ' (or GOOGLE_SIGN_IN=off)' : '';
    throw wrongSetting(
      `${listWithVerb(missing)} not set, but the shop needs all of them to run live${unlessGoogleIsOff}, or none to run in the sandbox.`,
    );
  }
  if (s.SHOP_CURRENCY === undefined)
    throw wrongSetting('SHOP_CURRENCY is not set, but a live shop must choose its currency, such as USD.');
  if (s.SANDBOX === 'yes')
    throw wrongSetting('SANDBOX is yes, but STRIPE_SECRET_KEY is set: unset one of them.');
  const { STRIPE_SECRET_KEY: secretKey = '', STRIPE_PUBLISHABLE_KEY: publishableKey = '' } = s;
  if (isLiveKey(secretKey) !== isLiveKey(publishableKey))
    throw wrongSetting('STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY have different modes, live and test.');
  const stripe = {
    secretKey,
    publishableKey,
    /** Several during a rotation. */
    webhookSecrets: s.STRIPE_WEBHOOK_SECRET ?? [],
    apiUrl: (s.STRIPE_API_URL ?? 'https://api.stripe.com').replace(/\/$/, ''),
    jsUrl: s.STRIPE_JS_URL ?? 'https://js.stripe.com/endive/stripe.js',
  };
  const { GOOGLE_CLIENT_ID: clientId = '', GOOGLE_CLIENT_SECRET: clientSecret = '' } = s;
  const google = { clientId, clientSecret, discoveryUrl: s.GOOGLE_DISCOVERY_URL ?? googleDiscovery };
  return { stripe, google: hasGoogle ? google : undefined };
}

/** Whether a Stripe key charges real cards; otherwise it is a test key: https://docs.stripe.com/keys */
export const isLiveKey = (key: string): boolean => /^(sk|rk|pk)_live_/.test(key);

/** Throws unless the stand-ins may run, so that a shop meant for real cards does not run them by mistake. */
function checkSandboxAllowed(s: Settings, required: string): void {
  if (s.SANDBOX === 'no' || (s.NODE_ENV === 'production' && s.SANDBOX !== 'yes')) {
    const reason = s.SANDBOX === 'no' ? 'SANDBOX is no' : 'NODE_ENV is production';
    throw wrongSetting(
      `${required} are not set, and ${reason}: set them, or set SANDBOX=yes to run with stand-ins, which charge no real cards.`,
    );
  }
  const set = urls.filter((name) => s[name] !== undefined);
  if (set.length > 0)
    throw wrongSetting(
      `${listWithVerb(set)} set, but without keys the stand-ins run at their own URLs: set ${required} as well, or unset ${set.length > 1 ? 'them' : 'it'}.`,
    );
}

const listWithVerb = (names: string[]) => `${names.join(', ')} ${names.length > 1 ? 'are' : 'is'}`;
