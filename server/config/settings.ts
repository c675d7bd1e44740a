import { z } from 'zod';
import { isChargeable } from './currency.ts';

/** What a shopkeeper is told of a setting: in docs/operations.md (`npm run settings`), and where it is wrong. */
type Told = {
  what: string;
  /** What holds while it is not set, where that is not a value of its own. */
  unset?: string;
  /** What it must look like, where it can be wrong. */
  rule?: string;
  /** Its value is never shown. */
  secret?: true;
};

export const told = z.registry<Told>();

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
  PORT: whole(1, 65535).default(3000).register(told, { what: 'the port', rule: 'a port number, 1 to 65535' }),
  HOST: z
    .string()
    .default('127.0.0.1')
    .register(told, { what: 'the address to listen on; 0.0.0.0 is every one' }),
  PUBLIC_URL: address.optional().register(told, {
    what: "the shop's own origin, such as https://shop.example; requests for another host are answered 421",
    unset: 'localhost and 127.0.0.1 with `PORT`',
    rule: "the shop's own address, such as https://shop.example",
  }),
  DATA_DIR: z
    .string()
    .default('data')
    .register(told, { what: 'where everything is kept; one server a folder', unset: '`./data`' }),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .optional()
    .register(told, {
      what: 'a PostgreSQL address; then any number of servers',
      unset: 'SQLite in `DATA_DIR/shop.db`',
      rule: 'a PostgreSQL address, such as postgres://user:password@host/database',
      secret,
    }),
  AUTH_SECRET: z
    .string()
    .refine((text) => text.trim().length >= 32)
    .optional()
    .register(told, {
      what: 'what sessions are signed with, at least 32 characters; servers that share a database must share it',
      unset: 'made at the first start, kept in `DATA_DIR`',
      rule: 'a secret of at least 32 characters, not counting spaces around it',
      secret,
    }),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_(test|live)_/)
    .optional()
    .register(told, {
      what: "Stripe's secret key, or a restricted one",
      unset: standIn,
      rule: 'a secret key of Stripe, sk_test_… or sk_live_…',
      secret,
    }),
  STRIPE_PUBLISHABLE_KEY: z
    .string()
    .regex(/^pk_(test|live)_/)
    .optional()
    .register(told, {
      what: "Stripe's publishable key, of the same account and mode",
      unset: standIn,
      rule: 'a publishable key of Stripe, pk_test_… or pk_live_…',
      // Who takes one key for the other would show the other.
      secret,
    }),
  STRIPE_WEBHOOK_SECRET: list.pipe(z.array(z.string()).min(1)).optional().register(told, {
    what: "the signing secret of Stripe's webhook; several, comma-separated, while one is replaced",
    unset: standIn,
    rule: "the signing secret of Stripe's webhook, or several, comma-separated",
    secret,
  }),
  STRIPE_API_URL: address.optional().register(told, {
    what: "where Stripe's API is; only with its keys",
    unset: "Stripe's own",
    rule: 'a web address',
  }),
  STRIPE_JS_URL: address.optional().register(told, {
    what: "where Stripe's browser script is; only with its keys",
    unset: "Stripe's own",
    rule: 'a web address',
  }),
  GOOGLE_CLIENT_ID: z.string().optional().register(told, {
    what: 'the OAuth client for the sign-in with Google',
    unset: standIn,
  }),
  GOOGLE_CLIENT_SECRET: z.string().optional().register(told, {
    what: "that client's secret",
    unset: standIn,
    secret,
  }),
  GOOGLE_DISCOVERY_URL: address.optional().register(told, {
    what: "Google's discovery document; only with its keys",
    unset: "Google's own",
    rule: 'a web address',
  }),
  GOOGLE_SIGN_IN: z.enum(['on', 'off']).default('on').register(told, {
    what: '`off`: no sign-in with Google, nor its stand-in',
    rule: 'on or off',
  }),
  IMAGE_HOST_URL: z
    .url({ protocol: /^https$/ })
    .optional()
    .register(told, {
      what: 'a hosted image service that takes a multipart POST with the field `image`',
      unset: 'the shop is its own host',
      rule: 'an https address',
    }),
  IMAGE_HOST_KEY: z
    .string()
    .default('')
    .register(told, { what: "that service's client key, which browsers get", unset: 'none' }),
  SHOP_CURRENCY: z
    .string()
    .transform((code) => code.toUpperCase())
    .refine(isChargeable)
    .optional()
    .register(told, {
      what: 'the currency of all prices: the ISO 4217 code of one that Stripe charges, with two decimals or none',
      unset: 'sandbox: USD, shown as in the specification; a live shop must set it',
      rule: 'the ISO 4217 code of a currency that Stripe charges, with two decimals or none, such as EUR',
    }),
  STOCK_HOLD_HOURS: z.coerce.number().positive().max(8760).default(72).register(told, {
    what: 'how long an unpaid order holds its stock',
    rule: 'a number of hours above 0, at most 8760',
  }),
  UNPAID_ORDERS_PER_PERSON: whole(1).optional().register(told, {
    what: 'how many orders one person may leave unpaid',
    unset: 'live 20, sandbox no limit',
    rule: 'a whole number above 0',
  }),
  TRUSTED_PROXIES: list.default([]).register(told, {
    what: 'addresses or networks whose `X-Forwarded-For` is believed, comma-separated',
    unset: 'none',
  }),
  STOP_DELAY_SECONDS: whole(0, 300).default(0).register(told, {
    what: 'how long a stopping process serves on while `/readyz` is 503, so that load balancers stop using it',
    rule: 'a whole number of seconds, 0 to 300',
  }),
  METRICS_TOKEN: z
    .string()
    // What an `Authorization` header can carry; anything else would never match.
    .regex(/^[!-~]{16,}$/)
    .optional()
    .register(told, {
      what: 'the bearer token that opens `/metrics`, at least 16 characters, without spaces',
      unset: 'only this machine may ask',
      rule: 'a secret of at least 16 printable ASCII characters, without spaces',
      secret,
    }),
  // OpenTelemetry's own names; what else its standard has is read by its packages themselves.
  OTEL_EXPORTER_OTLP_ENDPOINT: address.optional().register(told, {
    what: 'where traces are sent over OTLP',
    unset: 'no traces are made',
    rule: 'a web address',
    secret,
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address.optional().register(told, {
    what: 'as the one before, the whole address with its path',
    unset: '`OTEL_EXPORTER_OTLP_ENDPOINT`',
    rule: 'a web address',
    secret,
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .string()
    .optional()
    .register(told, { what: '`http/protobuf`; any other is refused', unset: '`http/protobuf`' }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z
    .string()
    .optional()
    .register(told, { what: 'as the one before', unset: '`OTEL_EXPORTER_OTLP_PROTOCOL`' }),
  OTEL_TRACES_EXPORTER: z
    .string()
    .optional()
    .register(told, { what: '`otlp`, or `none`: no traces', unset: '`otlp`' }),
  OTEL_SDK_DISABLED: z.string().optional().register(told, { what: '`true`: no traces', unset: '`false`' }),
  SANDBOX: z.enum(['yes', 'no']).optional().register(told, {
    what: '`yes`: the stand-ins although `NODE_ENV` is production; `no`: never, a start without keys fails',
    unset: 'by the keys',
    rule: 'yes or no',
  }),
  NODE_ENV: z.string().optional().register(told, {
    what: "`production`: a start without keys fails, unless `SANDBOX` is `yes`; React's production build is always served",
    unset: 'by the keys',
  }),
});

export type Settings = z.output<typeof settings>;
