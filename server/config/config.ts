import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ShopError, wrongSetting } from '../../contract/errors.ts';
import { describeMisspelled } from './misspelled.ts';
import { isLiveKey, readServices } from './services.ts';
import { type Settings, settingDocs, settings } from './settings.ts';

/** A SQLite file, or a PostgreSQL URL and the schema to use there. */
export type DatabaseLocation = { file: string } | { url: string; schema?: string };

/** The sandbox has no keys. Test keys charge no real card, but otherwise the shop is a live one. */
export type Mode = 'sandbox' | 'test' | 'live';

export type Config = ReturnType<typeof readConfig>;

const mailSettings = [
  ...(['CONTACT_EMAIL', 'NEWSLETTER', 'UNCONFIRMED_HOLD_HOURS', 'UNCONFIRMED_STOCK_PERCENT'] as const),
];

/**
 * The only reader of the environment besides OpenTelemetry's packages. Throws `bad_setting` with one sentence about the wrong
 * setting, and one about each misspelled name.
 */
export function readConfig(env: Record<string, string | undefined> = process.env) {
  const misspelled = describeMisspelled(env);
  try {
    return {
      ...readSettings(env),
      /** One sentence about each variable that is probably a misspelled setting. */
      misspelled,
    };
  } catch (error) {
    if (!(error instanceof ShopError)) throw error;
    throw wrongSetting([error.message, ...misspelled].join(' '));
  }
}

function readSettings(env: Record<string, string | undefined>) {
  // An empty setting counts as unset. Compose files and unit files often contain empty settings.
  const values = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name in settings.shape && value !== ''),
  );
  const { data: s, error } = settings.safeParse(values);
  if (error) {
    const [issue] = error.issues;
    const name = issue?.path[0] as keyof Settings;
    const value = settingDocs.get(settings.shape[name])?.secret ? 'set' : JSON.stringify(values[name]);
    throw wrongSetting(`${name} is ${value}, but must be ${issue?.message}.`);
  }
  const services = readServices(s);
  if (s.IMAGE_HOST_KEY && !s.IMAGE_HOST_URL)
    throw wrongSetting('IMAGE_HOST_KEY is set, but IMAGE_HOST_URL is not: set both or neither.');
  if (s.SMTP_URL && !s.MAIL_FROM)
    throw wrongSetting('SMTP_URL is set, but MAIL_FROM is not: set it to the sender of the messages.');
  if (s.MAIL_FROM && !s.SMTP_URL)
    throw wrongSetting('MAIL_FROM is set, but SMTP_URL is not: set both or neither.');
  const sendsMail = s.SMTP_URL !== undefined || services === undefined;
  const mode: Mode = services ? (isLiveKey(services.stripe.secretKey) ? 'live' : 'test') : 'sandbox';
  const dataDir = resolve(s.DATA_DIR);
  if (statSync(dataDir, { throwIfNoEntry: false })?.isFile())
    throw wrongSetting(`DATA_DIR is ${JSON.stringify(dataDir)}, which is a file, but must be a folder.`);
  const publicUrl = s.PUBLIC_URL;
  const origins: [string, ...string[]] = publicUrl
    ? [publicUrl.origin]
    : [`http://localhost:${s.PORT}`, `http://127.0.0.1:${s.PORT}`];
  const database: DatabaseLocation = s.DATABASE_URL
    ? { url: s.DATABASE_URL }
    : { file: resolve(dataDir, 'shop.db') };
  return {
    port: s.PORT,
    host: s.HOST,
    /** Our origins; the first is canonical. */
    origins,
    /** Whether only this machine can reach the shop. */
    loopback: isLoopback(s.HOST) && (!publicUrl || isLoopback(publicUrl.hostname)),
    dataDir,
    database,
    authSecret: s.AUTH_SECRET,
    mode,
    /** Undefined in the sandbox, whose stand-ins have their own keys and URLs. */
    services,
    /** Whether users can sign in with Google, or with its stand-in. */
    googleSignIn: s.GOOGLE_SIGN_IN === 'on',
    imageHost: s.IMAGE_HOST_URL ? { url: s.IMAGE_HOST_URL, key: s.IMAGE_HOST_KEY } : undefined,
    /** Undefined in the sandbox, where the stand-in is used, and in a live shop that sends no mail. */
    mail: s.SMTP_URL && s.MAIL_FROM ? { url: s.SMTP_URL, from: s.MAIL_FROM } : undefined,
    /** Whether the shop sends mail, to a mail server or to the stand-in. */
    sendsMail,
    /** The recipient of messages from the contact form. Undefined if there is no form. */
    contactEmail: sendsMail ? s.CONTACT_EMAIL : undefined,
    /** Whether the shop collects addresses for a newsletter. */
    newsletter: sendsMail && s.NEWSLETTER === 'yes',
    /** Settings without effect, because the shop sends no mail. */
    settingsWithoutMail: sendsMail
      ? []
      : mailSettings.filter((name) => s[name] !== undefined && s[name] !== 'no'),
    /** Whether visitors may read the catalogue. */
    openCatalogue: s.OPEN_CATALOGUE === 'yes',
    /** Whether reviews wait for an admin's approval. */
    reviewApproval: s.REVIEW_APPROVAL === 'yes',
    /** If undefined, prices are charged in USD and formatted as in the specification. */
    currency: s.SHOP_CURRENCY,
    /** IANA name, or `UTC`. */
    timeZone: s.TIME_ZONE,
    /** Defaults of the shop details, which an admin can replace in the dashboard. */
    shopDetails: { name: s.SHOP_NAME, address: s.SHOP_ADDRESS, taxId: s.SHOP_TAX_ID },
    stockHoldHours: s.STOCK_HOLD_HOURS,
    orderRetentionYears: s.ORDER_RETENTION_YEARS,
    ordersPerMinute: s.ORDERS_PER_MINUTE ?? (services ? 100 : Number.POSITIVE_INFINITY),
    ...readUnconfirmedLimits(s, services !== undefined, sendsMail),
    unpaidOrdersPerPerson: s.UNPAID_ORDERS_PER_PERSON ?? (services ? 20 : Number.POSITIVE_INFINITY),
    /** Admins have their rights only in sessions that passed a second factor. */
    requireAdminTwoFactor: s.REQUIRE_ADMIN_2FA === 'yes',
    trustedProxies: s.TRUSTED_PROXIES,
    stopDelaySeconds: s.STOP_DELAY_SECONDS,
    metricsToken: s.METRICS_TOKEN,
    tracing: isTracingEnabled(s),
  };
}

/** The limits on stock held by users with unconfirmed addresses. In a shop that sends no mail, nobody can confirm an address. */
function readUnconfirmedLimits(s: Settings, isLive: boolean, sendsMail: boolean) {
  const isLimited = isLive && sendsMail;
  const hours = sendsMail ? (s.UNCONFIRMED_HOLD_HOURS ?? (isLimited ? 1 : undefined)) : undefined;
  const percent = sendsMail ? (s.UNCONFIRMED_STOCK_PERCENT ?? (isLimited ? 50 : undefined)) : undefined;
  return {
    unconfirmedHoldHours: Math.min(hours ?? s.STOCK_HOLD_HOURS, s.STOCK_HOLD_HOURS),
    unconfirmedStockPercent: percent ?? 100,
  };
}

/** Whether a host name or address is a loopback one. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/** Whether an endpoint for traces is set. OpenTelemetry's packages read their other variables themselves. */
function isTracingEnabled(s: Settings): boolean {
  const endpoint = s.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? s.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporter = s.OTEL_TRACES_EXPORTER ?? 'otlp';
  if (!endpoint || exporter === 'none' || s.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  if (exporter !== 'otlp')
    throw wrongSetting(`OTEL_TRACES_EXPORTER is ${JSON.stringify(exporter)}, but must be otlp or none.`);
  const protocol = s.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? s.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/protobuf';
  if (protocol === 'http/protobuf') return true;
  throw wrongSetting(
    `OTEL_EXPORTER_OTLP_PROTOCOL is ${JSON.stringify(protocol)}, but must be http/protobuf.`,
  );
}
