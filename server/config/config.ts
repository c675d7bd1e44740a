import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { wrongSetting } from '../../contract/errors.ts';
import { readServices, type Services } from './services.ts';
import { settings, settingDocs } from './settings.ts';
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
  /** How long a stopping process serves on after `/readyz` has begun to fail. */
  stopDelaySeconds: number;
  /** What opens `/metrics` from elsewhere; undefined: nothing does. */
  metricsToken: string | undefined;
  /** Undefined: no traces are made. */
  tracing: boolean;
};

/**
 * Reads the settings; the only reader of the environment, but for what OpenTelemetry's packages read of their own
 * standard. Throws `ShopError` ('bad_setting') whose message is one sentence for the shopkeeper.
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  // An empty setting counts as unset: compose files and unit files make those.
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name in settings.shape && value !== ''),
  );
  const read = settings.safeParse(given);
  if (!read.success) {
    const name = String(read.error.issues[0]?.path[0]);
    const schema = Object.entries(settings.shape).find(([known]) => known === name)?.[1];
    const about = schema && settingDocs.get(schema);
    const value = about?.secret ? 'set' : `${JSON.stringify(given[name])}`;
    throw wrongSetting(`${name} is ${value}, but must be ${about?.expected ?? 'something else'}.`);
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
    throw wrongSetting('IMAGE_HOST_KEY is set, but IMAGE_HOST_URL is not: set that too, or neither.');
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
  const most = { 4: 32, 6: 128 }[isIP(address)];
  if (most === undefined || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
}

/** Whether a name or an address leads to this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
