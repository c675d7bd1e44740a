import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { decimalsOf } from './currency.ts';
import type { Place } from './database/connect.ts';
import { wrongSetting } from './errors.ts';
import { address, readServices, type Services, serviceRules, serviceSettings } from './services.ts';

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
  /** `GOOGLE_SIGN_IN`, for the stand-in as well. */
  googleSignIn: boolean;
  imageHost: { url: string; key: string } | undefined;
  /** Undefined: the specification's own way, charged in USD. */
  currency: string | undefined;
  stockHoldHours: number;
  unpaidOrdersPerPerson: number;
  trustedProxies: string[];
  /** How many processes serve behind the one port. */
  workers: number;
};

/** Digits alone: `Number` would take '0x10' for 16 as well. */
const whole = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(min).max(max));

const settings = z.object({
  PORT: whole(1, 65535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: address.optional(),
  DATA_DIR: z.string().default('data'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .optional(),
  AUTH_SECRET: z.string().min(32).optional(),
  IMAGE_HOST_URL: z.url({ protocol: /^https$/ }).optional(),
  IMAGE_HOST_KEY: z.string().default(''),
  SHOP_CURRENCY: z
    .string()
    .transform((code) => code.toUpperCase())
    .refine((code) => decimalsOf(code) !== undefined)
    .optional(),
  STOCK_HOLD_HOURS: z.coerce.number().positive().max(8760).default(72),
  UNPAID_ORDERS_PER_PERSON: whole(1).optional(),
  TRUSTED_PROXIES: z.string().default(''),
  WEB_CONCURRENCY: whole(1, 64).default(1),
  METRICS_TOKEN: z.string().min(16).optional(),
  ...serviceSettings,
});

/** What a setting must look like, where its name does not say it. */
const rules: Record<string, string> = {
  PORT: 'a port number, 1 to 65535',
  PUBLIC_URL: "the shop's own address, such as https://shop.example",
  DATABASE_URL: 'a PostgreSQL address, such as postgres://user:password@host/database',
  AUTH_SECRET: 'a secret of at least 32 characters',
  IMAGE_HOST_URL: 'an https address',
  SHOP_CURRENCY:
    'an ISO 4217 code of a currency with two decimals or none that cards are charged in, such as EUR',
  STOCK_HOLD_HOURS: 'a number of hours above 0, at most 8760',
  UNPAID_ORDERS_PER_PERSON: 'a whole number above 0',
  WEB_CONCURRENCY: 'a whole number, 1 to 64',
  METRICS_TOKEN: 'a secret of at least 16 characters',
  ...serviceRules,
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
    throw wrongSetting(`${name} is ${value}, but must be ${rule}.`);
  }
  const s = read.data;
  const publicUrl = s.PUBLIC_URL ? new URL(s.PUBLIC_URL) : undefined;
  if (publicUrl && publicUrl.href !== `${publicUrl.origin}/`) {
    throw wrongSetting(
      `PUBLIC_URL is ${JSON.stringify(s.PUBLIC_URL)}, but must be an origin without a path: ${publicUrl.origin}.`,
    );
  }
  const services = readServices(s);
  const trustedProxies = s.TRUSTED_PROXIES.split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  const badProxy = trustedProxies.find((entry) => !isNetwork(entry));
  if (badProxy)
    throw wrongSetting(
      `TRUSTED_PROXIES has ${JSON.stringify(badProxy)}, but must be addresses or networks such as 10.0.0.0/8, comma-separated.`,
    );
  if (s.WEB_CONCURRENCY > 1 && !s.DATABASE_URL) {
    throw wrongSetting(
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
    googleSignIn: s.GOOGLE_SIGN_IN === 'on',
    imageHost: s.IMAGE_HOST_URL ? { url: s.IMAGE_HOST_URL, key: s.IMAGE_HOST_KEY } : undefined,
    currency: s.SHOP_CURRENCY,
    stockHoldHours: s.STOCK_HOLD_HOURS,
    unpaidOrdersPerPerson: s.UNPAID_ORDERS_PER_PERSON ?? (services ? 20 : Number.POSITIVE_INFINITY),
    trustedProxies,
    workers: s.WEB_CONCURRENCY,
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
