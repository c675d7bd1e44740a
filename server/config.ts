import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { decimalsOf } from './currency.ts';
import type { Place } from './database/connect.ts';
import { ShopError } from './errors.ts';

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

export type Config = {
  port: number;
  host: string;
  /** Our origins; the first is canonical. */
  origins: [string, ...string[]];
  /** Whether only this machine can reach the shop. */
  loopback: boolean;
  dataDir: string;
  database: Place;
  authSecret: string | undefined;
  /** Undefined in the sandbox: the stand-ins say theirs. */
  services: Services | undefined;
  imageHost: { url: string; key: string } | undefined;
  /** Undefined: the specification's own way, charged in USD. */
  currency: string | undefined;
  stockHoldHours: number;
  unpaidOrdersPerPerson: number;
  trustedProxies: string[];
};

const stripeApi = 'https://api.stripe.com';
const stripeJs = 'https://js.stripe.com/endive/stripe.js';
const googleDiscovery = 'https://accounts.google.com/.well-known/openid-configuration';

const url = z.url({ protocol: /^https?$/ });
const settings = z.object({
  PORT: z.coerce.number().int().min(1).max(65535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: url.optional(),
  DATA_DIR: z.string().default('data'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .optional(),
  AUTH_SECRET: z.string().min(32).optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_(test|live)_/)
    .optional(),
  STRIPE_PUBLISHABLE_KEY: z
    .string()
    .regex(/^pk_(test|live)_/)
    .optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  STRIPE_API_URL: url.default(stripeApi),
  STRIPE_JS_URL: url.default(stripeJs),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GOOGLE_DISCOVERY_URL: url.default(googleDiscovery),
  GOOGLE_SIGN_IN: z.enum(['on', 'off']).default('on'),
  IMAGE_HOST_URL: z.url({ protocol: /^https$/ }).optional(),
  IMAGE_HOST_KEY: z.string().default(''),
  SHOP_CURRENCY: z
    .string()
    .transform((code) => code.toUpperCase())
    .refine((code) => decimalsOf(code) !== undefined)
    .optional(),
  STOCK_HOLD_HOURS: z.coerce.number().positive().max(8760).default(72),
  UNPAID_ORDERS_PER_PERSON: z.coerce.number().int().positive().optional(),
  SANDBOX: z.enum(['yes', 'no']).optional(),
  TRUSTED_PROXIES: z.string().default(''),
  NODE_ENV: z.string().optional(),
  WEB_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(1),
  METRICS_TOKEN: z.string().min(16).optional(),
});

/** What a setting must look like, where its name does not say it. */
const rules: Record<string, string> = {
  PORT: 'a port number, 1 to 65535',
  PUBLIC_URL: "the shop's own address, such as https://shop.example",
  DATABASE_URL: 'a PostgreSQL address, such as postgres://user:password@host/database',
  AUTH_SECRET: 'a secret of at least 32 characters',
  STRIPE_SECRET_KEY: 'a secret key of Stripe, sk_test_… or sk_live_…',
  STRIPE_PUBLISHABLE_KEY: 'a publishable key of Stripe, pk_test_… or pk_live_…',
  SHOP_CURRENCY:
    'an ISO 4217 code of a currency with two decimals or none that cards are charged in, such as EUR',
  STOCK_HOLD_HOURS: 'a number of hours above 0, at most 8760',
  UNPAID_ORDERS_PER_PERSON: 'a whole number above 0',
  WEB_CONCURRENCY: 'a whole number, 1 to 64',
  METRICS_TOKEN: 'a secret of at least 16 characters',
  GOOGLE_SIGN_IN: 'on or off',
  SANDBOX: 'yes or no',
};

/** Settings whose values are never shown. */
const secret = /SECRET|TOKEN|DATABASE_URL/;

/**
 * Reads the settings; the only reader of the environment. Throws `ShopError` ('bad_setting') whose message
 * is one sentence for the shopkeeper.
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  // An empty setting counts as unset: compose files and unit files make those.
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name in settings.shape && value !== ''),
  );
  const read = settings.safeParse(given);
  if (!read.success) {
    const name = String(read.error.issues[0]?.path[0]);
    const rule = rules[name] ?? (name.endsWith('_URL') ? 'a web address' : 'something else');
    const value = secret.test(name) ? 'set' : `${JSON.stringify(given[name])}`;
    throw wrong(`${name} is ${value}, but must be ${rule}.`);
  }
  const s = read.data;
  const publicUrl = s.PUBLIC_URL ? new URL(s.PUBLIC_URL) : undefined;
  if (publicUrl && publicUrl.href !== `${publicUrl.origin}/`) {
    throw wrong(
      `PUBLIC_URL is ${JSON.stringify(s.PUBLIC_URL)}, but must be an origin without a path: ${publicUrl.origin}.`,
    );
  }
  const services = readServices(s);
  const trustedProxies = s.TRUSTED_PROXIES.split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  const badProxy = trustedProxies.find((entry) => !isNetwork(entry));
  if (badProxy)
    throw wrong(
      `TRUSTED_PROXIES has ${JSON.stringify(badProxy)}, but must be addresses or networks such as 10.0.0.0/8, comma-separated.`,
    );
  if (s.WEB_CONCURRENCY > 1 && !s.DATABASE_URL) {
    throw wrong(
      'WEB_CONCURRENCY is over 1, but SQLite takes one process: set DATABASE_URL to a PostgreSQL database.',
    );
  }
  const dataDir = resolve(s.DATA_DIR);
  return {
    port: s.PORT,
    host: s.HOST,
    origins: publicUrl ? [publicUrl.origin] : [`http://localhost:${s.PORT}`, `http://127.0.0.1:${s.PORT}`],
    loopback: isLoopback(s.HOST) && (!publicUrl || isLoopback(publicUrl.hostname)),
    dataDir,
    database: s.DATABASE_URL ? { url: s.DATABASE_URL } : { file: resolve(dataDir, 'shop.db') },
    authSecret: s.AUTH_SECRET,
    services,
    imageHost: s.IMAGE_HOST_URL ? { url: s.IMAGE_HOST_URL, key: s.IMAGE_HOST_KEY } : undefined,
    currency: s.SHOP_CURRENCY,
    stockHoldHours: s.STOCK_HOLD_HOURS,
    unpaidOrdersPerPerson: s.UNPAID_ORDERS_PER_PERSON ?? (services ? 20 : Number.POSITIVE_INFINITY),
    trustedProxies,
  };
}

/** All or nothing: without any key the stand-ins run; with one, every key that is needed must be there. */
function readServices(s: z.output<typeof settings>): Services | undefined {
  const keys = [
    'STRIPE_SECRET_KEY',
    'STRIPE_PUBLISHABLE_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'GOOGLE_CLIENT_ID',
    'GOOGLE_CLIENT_SECRET',
  ] as const;
  const needed = s.GOOGLE_SIGN_IN === 'off' ? keys.slice(0, 3) : keys;
  if (keys.every((key) => s[key] === undefined)) {
    if (s.SANDBOX === 'no' || (s.NODE_ENV === 'production' && s.SANDBOX !== 'yes')) {
      throw wrong(
        `${needed.join(', ')} are not set, and ${s.SANDBOX === 'no' ? 'SANDBOX is no' : 'NODE_ENV is production'}: set them, or set SANDBOX=yes to run with stand-ins that charge no real card.`,
      );
    }
    return undefined;
  }
  const missing = needed.filter((key) => s[key] === undefined);
  if (missing.length > 0) {
    throw wrong(
      `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} not set, but the shop runs live with all of them${missing.some((key) => key.startsWith('GOOGLE')) ? ' (or with GOOGLE_SIGN_IN=off)' : ''} or in the sandbox with none.`,
    );
  }
  const { STRIPE_SECRET_KEY: secretKey = '', STRIPE_PUBLISHABLE_KEY: publishableKey = '' } = s;
  if (s.SANDBOX === 'yes') {
    throw wrong('SANDBOX is yes, but STRIPE_SECRET_KEY is set: unset one of them.');
  }
  if (secretKey.includes('_live_') !== publishableKey.includes('_live_')) {
    throw wrong(
      'STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY are not of one mode: both must be live keys or both test keys.',
    );
  }
  return {
    stripe: {
      secretKey,
      publishableKey,
      webhookSecrets: (s.STRIPE_WEBHOOK_SECRET ?? '')
        .split(',')
        .map((secret) => secret.trim())
        .filter(Boolean),
      apiUrl: s.STRIPE_API_URL.replace(/\/$/, ''),
      jsUrl: s.STRIPE_JS_URL,
    },
    google:
      s.GOOGLE_SIGN_IN === 'off' || !s.GOOGLE_CLIENT_ID || !s.GOOGLE_CLIENT_SECRET
        ? undefined
        : {
            clientId: s.GOOGLE_CLIENT_ID,
            clientSecret: s.GOOGLE_CLIENT_SECRET,
            discoveryUrl: s.GOOGLE_DISCOVERY_URL,
          },
  };
}

/** An address, or a network as address/bits. */
function isNetwork(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/');
  const most = { 4: 32, 6: 128 }[isIP(address)];
  if (most === undefined || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

function wrong(sentence: string): ShopError {
  return new ShopError('bad_setting', sentence);
}
