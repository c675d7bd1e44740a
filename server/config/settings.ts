import { z } from 'zod';
import { maxLines } from '../../contract/orders/purchases.ts';
import { isChargeable } from './currency.ts';
import { isDatabaseUrl } from './database-url.ts';
import { findTimeZone } from './time-zone.ts';

/** Documents the settings in docs/operations.md (`npm run settings`). The value of a `secret` is never shown. */
export const settingDocs = z.registry<{ description: string; unset: string | undefined; secret: boolean }>();

/** `unset` describes the behaviour without the setting, unless that is a plain default value. */
function setting<S extends z.ZodType>(schema: S, description: string, unset?: string, secret = false): S {
  settingDocs.add(schema, { description, unset, secret });
  return schema;
}
const secret = <S extends z.ZodType>(schema: S, description: string, unset: string): S =>
  setting(schema, description, unset, true);

const text = z.string();
const pattern = (regex: RegExp, expected: string) => text.regex(regex, expected);
/** Digits only: `Number` would accept '0x10', too. */
const integer = (min: number, max: number, expected: string) =>
  pattern(/^\d+$/, expected)
    .transform(Number)
    .refine((value) => value >= min && value <= max, expected);
const webUrl = (expected: string, protocol = /^https?$/) => z.url({ protocol, error: expected });
const url = webUrl('a web address');
const list = text.trim().transform((value) => value.split(/\s*,\s*/).filter(Boolean));
/** Addresses, and networks as address/bits. */
const networks = z.array(
  z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'addresses or networks such as 10.0.0.0/8'),
);

const standIn = 'the stand-in';
const mailServer =
  'the address of a mail server, smtp://user:password@host:587, with nothing after the port and special characters escaped: / as %2F, ? as %3F, # as %23, % as %25';
/**
 * An unescaped "/", "?" or "#" in the password would end the host too early, and the start of the password would be read as the
 * port. Options are not allowed: Nodemailer reads options from the URL, and some turn off TLS.
 */
function isMailServer(value: string): boolean {
  if (/[\s?#]|%(?![\da-f]{2})/i.test(value)) return false;
  const address = URL.parse(value);
  return Boolean(address?.hostname) && /^\/?$/.test(address?.pathname ?? '');
}
const holdHours = text
  .transform(Number)
  .refine((hours) => hours > 0 && hours <= 8760, 'a number of hours above 0, at most 8760');
const sellerName = 'a name of 1 to 100 characters';

/** All settings of the shop. The message about a wrong value completes the sentence "NAME is …, but must be". */
export const settings = z.object({
  PORT: setting(integer(1, 65535, 'a port number, 1 to 65535').default(3000), 'the port'),
  HOST: setting(text.default('127.0.0.1'), 'the address to listen on; 0.0.0.0 is all'),
  PUBLIC_URL: setting(
    webUrl("the shop's own address, such as https://shop.example")
      .transform((value) => new URL(value))
      .refine(({ href, origin }) => href === `${origin}/`, {
        error: ({ input }) => `an origin without a path: ${new URL(String(input)).origin}`,
      })
      .optional(),
    "the shop's origin, such as https://shop.example; other hosts get 421",
    'localhost and 127.0.0.1 at `PORT`',
  ),
  DATA_DIR: setting(text.default('data'), 'the folder for data; one server per folder', '`./data`'),
  DATABASE_URL: secret(
    pattern(/^postgres(ql)?:\/\//, 'a PostgreSQL address: postgres://user:password@host/database')
      .refine(
        isDatabaseUrl,
        'a PostgreSQL address; several servers as in postgres://user:password@a,b:5433/database?target_session_attrs=read-write',
      )
      .optional(),
    'a PostgreSQL URL; several hosts (`a,b:5433`) are tried in turn',
    'SQLite in `DATA_DIR/shop.db`',
  ),
  AUTH_SECRET: secret(
    text
      .refine((value) => value.trim().length >= 32, 'at least 32 characters, not counting outer spaces')
      .optional(),
    'the secret that signs sessions, at least 32 characters',
    'generated and stored in `DATA_DIR`',
  ),
  STRIPE_SECRET_KEY: secret(
    pattern(/^(sk|rk)_(test|live)_/, 'a secret key of Stripe, sk_test_… or sk_live_…').optional(),
    "Stripe's secret key, or a restricted one",
    standIn,
  ),
  // Secret, because someone may have pasted the secret key here by mistake.
  STRIPE_PUBLISHABLE_KEY: secret(
    pattern(/^pk_(test|live)_/, 'a publishable key of Stripe, pk_test_… or pk_live_…').optional(),
    "Stripe's publishable key, from the same account and mode",
    standIn,
  ),
  STRIPE_WEBHOOK_SECRET: secret(
    list.refine(({ length }) => length > 0, "the signing secret of Stripe's webhook").optional(),
    "the signing secret of Stripe's webhook; several, comma-separated, during a rotation",
    standIn,
  ),
  STRIPE_API_URL: setting(url.optional(), "the URL of Stripe's API; requires Stripe's keys", "Stripe's own"),
  STRIPE_JS_URL: setting(url.optional(), "the URL of Stripe.js; requires Stripe's keys", "Stripe's own"),
  GOOGLE_CLIENT_ID: setting(text.optional(), 'the OAuth client ID', standIn),
  GOOGLE_CLIENT_SECRET: secret(text.optional(), "the OAuth client's secret", standIn),
  GOOGLE_DISCOVERY_URL: setting(
    url.optional(),
    "the URL of Google's discovery document; requires Google's keys",
    "Google's own",
  ),
  GOOGLE_SIGN_IN: setting(
    z.enum(['on', 'off'], 'on or off').default('on'),
    '`off` disables signing in with Google',
  ),
  IMAGE_HOST_URL: setting(
    webUrl('an https address', /^https$/).optional(),
    'an image service that accepts a multipart POST with the field `image`',
    'the shop itself',
  ),
  IMAGE_HOST_KEY: setting(text.default(''), "the image service's client key, sent to browsers", 'none'),
  SMTP_URL: secret(
    pattern(/^smtps?:\/\//, mailServer)
      .refine(isMailServer, mailServer)
      .optional(),
    'the mail server: `smtp://` (with STARTTLS) or `smtps://`; for a private CA, set `NODE_EXTRA_CA_CERTS`',
    'sandbox: the stand-in; live: no mail',
  ),
  MAIL_FROM: setting(
    pattern(
      /^(?:[^<>@,;:"\\\p{Cc}]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@,]+@[^\s<>@,]+)$/u,
      'an email address, such as shop@shop.example or Hand-Tools Shop <shop@shop.example>',
    ).optional(),
    'the sender, such as `Hand-Tools Shop <shop@shop.example>`; required with `SMTP_URL`',
    'the stand-in’s',
  ),
  CONTACT_EMAIL: setting(
    z.email('an email address, such as shop@shop.example').optional(),
    'where messages from the contact form and replies to the shop’s mail go; requires mail',
    'no contact form; replies go to `MAIL_FROM`',
  ),
  NEWSLETTER: setting(
    z.enum(['yes', 'no'], 'yes or no').default('no'),
    '`yes` collects addresses for a newsletter; requires mail',
  ),
  OPEN_CATALOGUE: setting(
    z.enum(['yes', 'no'], 'yes or no').default('no'),
    '`yes` lets visitors and search engines read the catalogue',
  ),
  REVIEW_APPROVAL: setting(
    z.enum(['yes', 'no'], 'yes or no').default('no'),
    '`yes` shows reviews only once an admin has approved them',
  ),
  SHOP_CURRENCY: setting(
    text
      .toUpperCase()
      .refine(isChargeable, 'a currency that Stripe supports, with two decimals or none, such as EUR')
      .optional(),
    'the currency of all prices, such as EUR, with two decimals or none',
    'sandbox: USD, shown as in the specification; live: required',
  ),
  SHOP_NAME: setting(
    text.trim().min(1, sellerName).max(100, sellerName).default('Hand-Tools Shop'),
    "the seller's name on packing slips and invoices",
  ),
  SHOP_ADDRESS: setting(
    text
      .transform((value) => value.replaceAll('\\n', '\n').trim())
      .pipe(text.max(500, 'at most 500 characters'))
      .default(''),
    "the seller's address; `\\n` starts a new line, and needs double quotes in `/etc/shop.env`",
    'none',
  ),
  SHOP_TAX_ID: setting(
    text.trim().max(50, 'at most 50 characters').default(''),
    "the seller's tax number, such as `VAT GB 123 4567 89`",
    'none',
  ),
  TIME_ZONE: setting(
    text
      .transform((name, { addIssue }) => {
        const zone = findTimeZone(name);
        if (!zone) addIssue('a time zone of the IANA database, such as Europe/Berlin');
        return zone ?? name;
      })
      .default('UTC'),
    'the time zone of the dashboard, exports, printouts and messages, such as `Europe/Berlin`',
  ),
  STOCK_HOLD_HOURS: setting(holdHours.default(72), 'how long an unpaid order holds its stock'),
  UNPAID_ORDERS_PER_PERSON: setting(
    integer(1, Number.MAX_SAFE_INTEGER, 'a whole number above 0').optional(),
    'the most unpaid orders of a user',
    'live: 20, sandbox: no limit',
  ),
  ORDERS_PER_MINUTE: setting(
    integer(maxLines, Number.MAX_SAFE_INTEGER, `a whole number of at least ${maxLines}`).optional(),
    'the most products that a user can order in a minute, and ten times that in a day',
    'live: 100, sandbox: no limit',
  ),
  UNCONFIRMED_HOLD_HOURS: setting(
    holdHours.optional(),
    '`STOCK_HOLD_HOURS` for users with an unconfirmed email address, if shorter; requires mail',
    'live: 1, sandbox: `STOCK_HOLD_HOURS`',
  ),
  UNCONFIRMED_STOCK_PERCENT: setting(
    integer(1, 100, 'a whole number, 1 to 100').optional(),
    'the percentage of a product’s unsold pieces that unpaid orders of users with unconfirmed email addresses can hold; requires mail',
    'live: 50, sandbox: no limit',
  ),
  REQUIRE_ADMIN_2FA: setting(
    z.enum(['yes', 'no'], 'yes or no').default('no'),
    '`yes` requires [two-factor sign-in](#users) for admins',
  ),
  ORDER_RETENTION_YEARS: setting(
    integer(0, 100, 'a whole number of years, 0 to 100').default(10),
    'how long paid orders of deleted accounts keep name and address, after the year of payment',
  ),
  TRUSTED_PROXIES: setting(
    list.pipe(networks).default([]),
    'proxies whose `X-Forwarded-For` is trusted: addresses or networks, comma-separated',
    'none',
  ),
  STOP_DELAY_SECONDS: setting(
    integer(0, 300, 'a whole number of seconds, 0 to 300').default(0),
    'how long a stopping process keeps serving, so that [balancers](#the-balancer) stop using it',
  ),
  // Other characters cannot be sent in an `Authorization` header.
  METRICS_TOKEN: secret(
    pattern(/^[!-~]{16,}$/, 'a secret of at least 16 printable ASCII characters, without spaces').optional(),
    'the bearer token for `/metrics`, at least 16 characters',
    'only this machine',
  ),
  // OpenTelemetry's own names; its packages read its other variables themselves.
  OTEL_EXPORTER_OTLP_ENDPOINT: secret(url.optional(), 'the URL to send traces to, over OTLP', 'no tracing'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: secret(
    url.optional(),
    'the full URL, including the path',
    '`OTEL_EXPORTER_OTLP_ENDPOINT`',
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting(text.optional(), 'only `http/protobuf`', '`http/protobuf`'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: setting(
    text.optional(),
    'only `http/protobuf`',
    '`OTEL_EXPORTER_OTLP_PROTOCOL`',
  ),
  OTEL_TRACES_EXPORTER: setting(text.optional(), '`none` disables tracing', '`otlp`'),
  OTEL_SDK_DISABLED: setting(text.optional(), '`true` disables tracing', '`false`'),
  SANDBOX: setting(
    z.enum(['yes', 'no'], 'yes or no').optional(),
    '`no` makes a start without keys fail',
    'sandbox if no keys are set',
  ),
  NODE_ENV: setting(
    text.optional(),
    '`production` makes a start without keys fail, unless `SANDBOX` is `yes`',
    'sandbox if no keys are set',
  ),
});

export type Settings = z.output<typeof settings>;
