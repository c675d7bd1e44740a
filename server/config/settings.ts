import { z } from 'zod';
import { isChargeable } from './currency.ts';

/** What a shopkeeper is told of a setting: in docs/operations.md (`npm run settings`), and where it is wrong. */
type SettingDoc = {
  description: string;
  /** What holds while it is not set, where that is not a value of its own. */
  unset?: string;
  /** What it must look like, where it can be wrong. */
  expected?: string;
  /** Its value is never shown. */
  secret?: true;
};

export const settingDocs = z.registry<SettingDoc>();

/** Digits alone: `Number` would take '0x10' for 16 as well. */
const whole = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(min).max(max));
const address = z.url({ protocol: /^https?$/ });
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean),
);

const standIn = 'the stand-in';
const secret = true;

/** Every setting of the shop, once. */
export const settings = z.object({
  PORT: whole(1, 65535).default(3000).register(settingDocs, { description: 'the port', expected: 'a port number, 1 to 65535' }),
  HOST: z
    .string()
    .default('127.0.0.1')
    .register(settingDocs, { description: 'the address to listen on; 0.0.0.0 is every one' }),
  PUBLIC_URL: address.optional().register(settingDocs, {
    description: "the shop's own origin, such as https://shop.example; requests for another host are answered 421",
    unset: 'localhost and 127.0.0.1 with `PORT`',
    expected: "the shop's own address, such as https://shop.example",
  }),
  DATA_DIR: z
    .string()
    .default('data')
    .register(settingDocs, { description: 'where everything is kept; one server a folder', unset: '`./data`' }),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .optional()
    .register(settingDocs, {
      description: 'a PostgreSQL address; then any number of servers',
      unset: 'SQLite in `DATA_DIR/shop.db`',
      expected: 'a PostgreSQL address, such as postgres://user:password@host/database',
      secret,
    }),
  AUTH_SECRET: z
    .string()
    .refine((text) => text.trim().length >= 32)
    .optional()
    .register(settingDocs, {
      description: 'what sessions are signed with, at least 32 characters; servers that share a database must share it',
      unset: 'made at the first start, kept in `DATA_DIR`',
      expected: 'a secret of at least 32 characters, not counting spaces around it',
      secret,
    }),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_(test|live)_/)
    .optional()
    .register(settingDocs, {
      description: "Stripe's secret key, or a restricted one",
      unset: standIn,
      expected: 'a secret key of Stripe, sk_test_… or sk_live_…',
      secret,
    }),
  STRIPE_PUBLISHABLE_KEY: z
    .string()
    .regex(/^pk_(test|live)_/)
    .optional()
    .register(settingDocs, {
      description: "Stripe's publishable key, of the same account and mode",
      unset: standIn,
      expected: 'a publishable key of Stripe, pk_test_… or pk_live_…',
      // Who takes one key for the other would show the other.
      secret,
    }),
  STRIPE_WEBHOOK_SECRET: list.pipe(z.array(z.string()).min(1)).optional().register(settingDocs, {
    description: "the signing secret of Stripe's webhook; several, comma-separated, while one is replaced",
    unset: standIn,
    expected: "the signing secret of Stripe's webhook, or several, comma-separated",
    secret,
  }),
  STRIPE_API_URL: address.optional().register(settingDocs, {
    description: "where Stripe's API is; only with its keys",
    unset: "Stripe's own",
    expected: 'a web address',
  }),
  STRIPE_JS_URL: address.optional().register(settingDocs, {
    description: "where Stripe's browser script is; only with its keys",
    unset: "Stripe's own",
    expected: 'a web address',
  }),
  GOOGLE_CLIENT_ID: z.string().optional().register(settingDocs, {
    description: 'the OAuth client for the sign-in with Google',
    unset: standIn,
  }),
  GOOGLE_CLIENT_SECRET: z.string().optional().register(settingDocs, {
    description: "that client's secret",
    unset: standIn,
    secret,
  }),
  GOOGLE_DISCOVERY_URL: address.optional().register(settingDocs, {
    description: "Google's discovery document; only with its keys",
    unset: "Google's own",
    expected: 'a web address',
  }),
  GOOGLE_SIGN_IN: z.enum(['on', 'off']).default('on').register(settingDocs, {
    description: '`off`: no sign-in with Google, nor its stand-in',
    expected: 'on or off',
  }),
  IMAGE_HOST_URL: z
    .url({ protocol: /^https$/ })
    .optional()
    .register(settingDocs, {
      description: 'a hosted image service that takes a multipart POST with the field `image`',
      unset: 'the shop is its own host',
      expected: 'an https address',
    }),
  IMAGE_HOST_KEY: z
    .string()
    .default('')
    .register(settingDocs, { description: "that service's client key, which browsers get", unset: 'none' }),
  SHOP_CURRENCY: z
    .string()
    .transform((code) => code.toUpperCase())
    .refine(isChargeable)
    .optional()
    .register(settingDocs, {
      description: 'the currency of all prices: the ISO 4217 code of one that Stripe charges, with two decimals or none',
      unset: 'sandbox: USD, shown as in the specification; a live shop must set it',
      expected: 'the ISO 4217 code of a currency that Stripe charges, with two decimals or none, such as EUR',
    }),
  STOCK_HOLD_HOURS: z.coerce.number().positive().max(8760).default(72).register(settingDocs, {
    description: 'how long an unpaid order holds its stock',
    expected: 'a number of hours above 0, at most 8760',
  }),
  UNPAID_ORDERS_PER_PERSON: whole(1).optional().register(settingDocs, {
    description: 'how many orders one person may leave unpaid',
    unset: 'live 20, sandbox no limit',
    expected: 'a whole number above 0',
  }),
  TRUSTED_PROXIES: list.default([]).register(settingDocs, {
    description: 'addresses or networks whose `X-Forwarded-For` is believed, comma-separated',
    unset: 'none',
  }),
  STOP_DELAY_SECONDS: whole(0, 300).default(0).register(settingDocs, {
    description: 'how long a stopping process serves on while `/readyz` is 503, so that load balancers stop using it',
    expected: 'a whole number of seconds, 0 to 300',
  }),
  METRICS_TOKEN: z
    .string()
    // What an `Authorization` header can carry; anything else would never match.
    .regex(/^[!-~]{16,}$/)
    .optional()
    .register(settingDocs, {
      description: 'the bearer token that opens `/metrics`, at least 16 characters, without spaces',
      unset: 'only this machine may ask',
      expected: 'a secret of at least 16 printable ASCII characters, without spaces',
      secret,
    }),
  // OpenTelemetry's own names; what else its standard has is read by its packages themselves.
  OTEL_EXPORTER_OTLP_ENDPOINT: address.optional().register(settingDocs, {
    description: 'where traces are sent over OTLP',
    unset: 'no traces are made',
    expected: 'a web address',
    secret,
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address.optional().register(settingDocs, {
    description: 'as the one before, the whole address with its path',
    unset: '`OTEL_EXPORTER_OTLP_ENDPOINT`',
    expected: 'a web address',
    secret,
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .string()
    .optional()
    .register(settingDocs, { description: '`http/protobuf`; any other is refused', unset: '`http/protobuf`' }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z
    .string()
    .optional()
    .register(settingDocs, { description: 'as the one before', unset: '`OTEL_EXPORTER_OTLP_PROTOCOL`' }),
  OTEL_TRACES_EXPORTER: z
    .string()
    .optional()
    .register(settingDocs, { description: '`otlp`, or `none`: no traces', unset: '`otlp`' }),
  OTEL_SDK_DISABLED: z.string().optional().register(settingDocs, { description: '`true`: no traces', unset: '`false`' }),
  SANDBOX: z.enum(['yes', 'no']).optional().register(settingDocs, {
    description: '`yes`: the stand-ins although `NODE_ENV` is production; `no`: never, a start without keys fails',
    unset: 'by the keys',
    expected: 'yes or no',
  }),
  NODE_ENV: z.string().optional().register(settingDocs, {
    description: "`production`: a start without keys fails, unless `SANDBOX` is `yes`; React's production build is always served",
    unset: 'by the keys',
  }),
});

export type Settings = z.output<typeof settings>;
