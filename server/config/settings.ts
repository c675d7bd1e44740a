import { z } from 'zod';
import { isChargeable } from './currency.ts';

/** Documents a setting in docs/operations.md (`npm run settings`) and in the error about a wrong value. */
type SettingDoc = {
  description: string;
  /** Describes the behaviour without it, unless that is a plain default value. */
  unset?: string;
  /** The expected format, if a value can be wrong. */
  expected?: string;
  /** Never show the value. */
  secret?: true;
};

export const settingDocs = z.registry<SettingDoc>();

/** Digits only: `Number` would accept '0x10', too. */
const integer = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(min).max(max));
const url = z.url({ protocol: /^https?$/ });
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean),
);

const standIn = 'the stand-in';
const secret = true;

/** All settings of the shop. */
export const settings = z.object({
  PORT: integer(1, 65535)
    .default(3000)
    .register(settingDocs, { description: 'the port', expected: 'a port number, 1 to 65535' }),
  HOST: z
    .string()
    .default('127.0.0.1')
    .register(settingDocs, { description: 'the address to listen on; 0.0.0.0 listens on all' }),
  PUBLIC_URL: url.optional().register(settingDocs, {
    description: "the shop's origin, such as https://shop.example; requests for other hosts get a 421",
    unset: 'localhost and 127.0.0.1 at `PORT`',
    expected: "the shop's own address, such as https://shop.example",
  }),
  DATA_DIR: z.string().default('data').register(settingDocs, {
    description: 'the folder for all data; one server per folder',
    unset: '`./data`',
  }),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .optional()
    .register(settingDocs, {
      description: 'a PostgreSQL URL; allows any number of servers',
      unset: 'SQLite in `DATA_DIR/shop.db`',
      expected: 'a PostgreSQL address, such as postgres://user:password@host/database',
      secret,
    }),
  AUTH_SECRET: z
    .string()
    .refine((text) => text.trim().length >= 32)
    .optional()
    .register(settingDocs, {
      description:
        'the secret that signs sessions, at least 32 characters; servers that share a database must share it',
      unset: 'generated at the first start and stored in `DATA_DIR`',
      expected: 'a secret of at least 32 characters, not counting leading and trailing spaces',
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
      description: "Stripe's publishable key, from the same account and mode",
      unset: standIn,
      expected: 'a publishable key of Stripe, pk_test_… or pk_live_…',
      // Someone may have pasted the secret key here by mistake.
      secret,
    }),
  STRIPE_WEBHOOK_SECRET: list.pipe(z.array(z.string()).min(1)).optional().register(settingDocs, {
    description: "the signing secret of Stripe's webhook; several, comma-separated, during a rotation",
    unset: standIn,
    expected: "the signing secret of Stripe's webhook, or several, comma-separated",
    secret,
  }),
  STRIPE_API_URL: url.optional().register(settingDocs, {
    description: "the URL of Stripe's API; only with Stripe's keys",
    unset: "Stripe's own",
    expected: 'a web address',
  }),
  STRIPE_JS_URL: url.optional().register(settingDocs, {
    description: "the URL of Stripe's browser script; only with Stripe's keys",
    unset: "Stripe's own",
    expected: 'a web address',
  }),
  GOOGLE_CLIENT_ID: z.string().optional().register(settingDocs, {
    description: 'the OAuth client ID for signing in with Google',
    unset: standIn,
  }),
  GOOGLE_CLIENT_SECRET: z.string().optional().register(settingDocs, {
    description: "the OAuth client's secret",
    unset: standIn,
    secret,
  }),
  GOOGLE_DISCOVERY_URL: url.optional().register(settingDocs, {
    description: "the URL of Google's discovery document; only with Google's keys",
    unset: "Google's own",
    expected: 'a web address',
  }),
  GOOGLE_SIGN_IN: z.enum(['on', 'off']).default('on').register(settingDocs, {
    description: '`off` disables signing in with Google, including the stand-in',
    expected: 'on or off',
  }),
  IMAGE_HOST_URL: z
    .url({ protocol: /^https$/ })
    .optional()
    .register(settingDocs, {
      description: 'a hosted image service that accepts a multipart POST with the field `image`',
      unset: 'the shop hosts images itself',
      expected: 'an https address',
    }),
  IMAGE_HOST_KEY: z.string().default('').register(settingDocs, {
    description: "the image service's client key, which is sent to browsers",
    unset: 'none',
  }),
  SHOP_CURRENCY: z
    .string()
    .transform((code) => code.toUpperCase())
    .refine(isChargeable)
    .optional()
    .register(settingDocs, {
      description:
        'the currency of all prices: the ISO 4217 code of a currency that Stripe supports, with two decimals or none',
      unset: 'sandbox: USD, formatted as in the specification; required for a live shop',
      expected:
        'the ISO 4217 code of a currency that Stripe supports, with two decimals or none, such as EUR',
    }),
  STOCK_HOLD_HOURS: z.coerce.number().positive().max(8760).default(72).register(settingDocs, {
    description: 'how long an unpaid order holds its stock',
    expected: 'a number of hours above 0, at most 8760',
  }),
  UNPAID_ORDERS_PER_PERSON: integer(1).optional().register(settingDocs, {
    description: 'the maximum number of unpaid orders per user',
    unset: 'live: 20, sandbox: no limit',
    expected: 'a whole number above 0',
  }),
  TRUSTED_PROXIES: list.default([]).register(settingDocs, {
    description: 'addresses or networks whose `X-Forwarded-For` is trusted, comma-separated',
    unset: 'none',
  }),
  STOP_DELAY_SECONDS: integer(0, 300).default(0).register(settingDocs, {
    description:
      'how long a stopping process keeps serving while `/readyz` returns 503, so that load balancers stop using it',
    expected: 'a whole number of seconds, 0 to 300',
  }),
  METRICS_TOKEN: z
    .string()
    // Other characters cannot be sent in an `Authorization` header.
    .regex(/^[!-~]{16,}$/)
    .optional()
    .register(settingDocs, {
      description: 'the bearer token for `/metrics`, at least 16 characters, without spaces',
      unset: 'only this machine has access',
      expected: 'a secret of at least 16 printable ASCII characters, without spaces',
      secret,
    }),
  // OpenTelemetry's own names; its packages read its other variables themselves.
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional().register(settingDocs, {
    description: 'the URL to send traces to, over OTLP',
    unset: 'no tracing',
    expected: 'a web address',
    secret,
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url.optional().register(settingDocs, {
    description: 'like `OTEL_EXPORTER_OTLP_ENDPOINT`, but the full URL including the path',
    unset: '`OTEL_EXPORTER_OTLP_ENDPOINT`',
    expected: 'a web address',
    secret,
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.string().optional().register(settingDocs, {
    description: '`http/protobuf`; no other value is supported',
    unset: '`http/protobuf`',
  }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.string().optional().register(settingDocs, {
    description: 'like `OTEL_EXPORTER_OTLP_PROTOCOL`',
    unset: '`OTEL_EXPORTER_OTLP_PROTOCOL`',
  }),
  OTEL_TRACES_EXPORTER: z
    .string()
    .optional()
    .register(settingDocs, { description: '`otlp`, or `none` to disable tracing', unset: '`otlp`' }),
  OTEL_SDK_DISABLED: z
    .string()
    .optional()
    .register(settingDocs, { description: '`true` disables tracing', unset: '`false`' }),
  SANDBOX: z.enum(['yes', 'no']).optional().register(settingDocs, {
    description:
      '`yes` runs the stand-ins even if `NODE_ENV` is production; `no` makes a start without keys fail',
    unset: 'sandbox if no keys are set',
    expected: 'yes or no',
  }),
  NODE_ENV: z.string().optional().register(settingDocs, {
    description:
      "`production` makes a start without keys fail unless `SANDBOX` is `yes`; React's production build is always served",
    unset: 'sandbox if no keys are set',
  }),
});

export type Settings = z.output<typeof settings>;
