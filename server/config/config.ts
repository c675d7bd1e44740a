import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { wrongSetting } from '../../contract/errors.ts';
import { readServices, type Services } from './services.ts';
import { settingDocs, settings } from './settings.ts';
import { readTracing } from './tracing.ts';

/** A SQLite file, or a PostgreSQL URL and the schema to use there. */
export type DatabaseLocation = { file: string } | { url: string; schema?: string };

export type Config = {
  port: number;
  host: string;
  /** Our origins; the first is canonical. */
  origins: [string, ...string[]];
  /** Whether only this machine can reach the shop. */
  loopback: boolean;
  dataDir: string;
  database: DatabaseLocation;
  authSecret: string | undefined;
  /** Undefined in the sandbox: the stand-ins have their own. */
  services: Services | undefined;
  /** `GOOGLE_SIGN_IN`; applies to the stand-in, too. */
  googleSignIn: boolean;
  imageHost: { url: string; key: string } | undefined;
  /** Undefined: charged in USD, formatted as in the specification. */
  currency: string | undefined;
  stockHoldHours: number;
  unpaidOrdersPerPerson: number;
  trustedProxies: string[];
  /** How long a stopping process keeps serving after `/readyz` has begun to fail. */
  stopDelaySeconds: number;
  /** The bearer token for `/metrics`; undefined: only this machine has access. */
  metricsToken: string | undefined;
  tracing: boolean;
};

/**
 * Reads the settings. Nothing else reads the environment, except for OpenTelemetry's packages. Throws `ShopError`
 * ('bad_setting') with one sentence for the operator.
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  // An empty setting counts as unset: compose files and unit files often contain those.
  const values = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name in settings.shape && value !== ''),
  );
  const read = settings.safeParse(values);
  if (!read.success) {
    const name = String(read.error.issues[0]?.path[0]);
    const schema = Object.entries(settings.shape).find(([known]) => known === name)?.[1];
    const doc = schema && settingDocs.get(schema);
    const value = doc?.secret ? 'set' : `${JSON.stringify(values[name])}`;
    throw wrongSetting(`${name} is ${value}, but must be ${doc?.expected ?? 'something else'}.`);
  }
  const s = read.data;
  const publicUrl = s.PUBLIC_URL ? new URL(s.PUBLIC_URL) : undefined;
  if (publicUrl && publicUrl.href !== `${publicUrl.origin}/`) {
    throw wrongSetting(
      `PUBLIC_URL is ${JSON.stringify(s.PUBLIC_URL)}, but must be an origin without a path: ${publicUrl.origin}.`,
    );
  }
  const services = readServices(s);
  const badProxy = s.TRUSTED_PROXIES.find((entry) => !isNetwork(entry));
  if (badProxy)
    throw wrongSetting(
      `TRUSTED_PROXIES has ${JSON.stringify(badProxy)}, but must be addresses or networks such as 10.0.0.0/8, comma-separated.`,
    );
  if (s.IMAGE_HOST_KEY && !s.IMAGE_HOST_URL)
    throw wrongSetting('IMAGE_HOST_KEY is set, but IMAGE_HOST_URL is not: set both or neither.');
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
    trustedProxies: s.TRUSTED_PROXIES,
    stopDelaySeconds: s.STOP_DELAY_SECONDS,
    metricsToken: s.METRICS_TOKEN,
    tracing: readTracing(s),
  };
}

/** An address, or a network as address/bits. */
function isNetwork(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/');
  const maxBits = { 4: 32, 6: 128 }[isIP(address)];
  if (maxBits === undefined || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits);
}

/** Whether a host name or address is a loopback one. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
