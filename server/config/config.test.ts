import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { listServerUrls } from './database-url.ts';

const stripe = {
  SHOP_CURRENCY: 'USD',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1, whsec_2',
};
const mail = { MAIL_FROM: 'shop@shop.example' };
const google = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' };

test('without settings, or with only empty ones, the shop runs in the sandbox on localhost', () => {
  for (const env of [{}, { PORT: '', HOST: '', DATABASE_URL: '', STRIPE_SECRET_KEY: '', SANDBOX: '' }]) {
    expect(readConfig(env)).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      origins: ['http://localhost:3000', 'http://127.0.0.1:3000'],
      loopback: true,
      services: undefined,
      currency: undefined,
      timeZone: 'UTC',
      stockHoldHours: 72,
      unpaidOrdersPerPerson: Number.POSITIVE_INFINITY,
      ordersPerMinute: Number.POSITIVE_INFINITY,
      unconfirmedHoldHours: 72,
      unconfirmedStockPercent: 100,
    });
  }
});

test('SHOP_ADDRESS takes several lines, separated by line breaks or by \\\\n', () => {
  const expected = { name: 'Hand-Tools Shop', address: '1 Mill Lane\nYork', taxId: '' };
  for (const address of ['1 Mill Lane\nYork\n', ' 1 Mill Lane\\nYork'])
    expect(readConfig({ SHOP_ADDRESS: address }).shopDetails).toEqual(expected);
});

test('with all keys, the shop runs live: two webhook secrets during a rotation, 20 unpaid orders per user', () => {
  const config = readConfig({ ...stripe, ...google, PUBLIC_URL: 'https://shop.example/' });
  expect(config.services?.stripe.webhookSecrets).toEqual(['whsec_1', 'whsec_2']);
  expect(config.services?.google?.clientId).toBe('id');
  expect(config).toMatchObject({
    origins: ['https://shop.example'],
    loopback: false,
    unpaidOrdersPerPerson: 20,
  });
  expect(readConfig({ ...stripe, GOOGLE_SIGN_IN: 'off' }).services?.google).toBeUndefined();
});

test('TIME_ZONE is spelled as in the IANA database', () => {
  expect(readConfig({ TIME_ZONE: 'europe/berlin' }).timeZone).toBe('Europe/Berlin');
});

const rejected: [name: string, env: Record<string, string>, sentence: RegExp][] = [
  ['a port that is not a number', { PORT: 'http' }, /^PORT is "http", but must be a port number/],
  ['a port above 65535', { PORT: '65536' }, /^PORT is "65536"/],
  ['a PUBLIC_URL with a path', { PUBLIC_URL: 'https://shop.example/shop' }, /^PUBLIC_URL .*without a path/],
  ['a PUBLIC_URL without a scheme', { PUBLIC_URL: 'shop.example' }, /^PUBLIC_URL is "shop.example"/],
  [
    'an OPEN_CATALOGUE other than yes and no',
    { OPEN_CATALOGUE: 'true' },
    /^OPEN_CATALOGUE is "true", but must be yes or no\.$/,
  ],
  [
    'an unknown TIME_ZONE',
    { TIME_ZONE: 'Berlin' },
    /^TIME_ZONE is "Berlin", but must be a time zone of the IANA database, such as Europe\/Berlin\.$/,
  ],
  ['a hexadecimal port', { PORT: '0x10' }, /^PORT is "0x10"/],
  [
    'an image host without https',
    { IMAGE_HOST_URL: 'http://x.example' },
    /^IMAGE_HOST_URL .*an https address/,
  ],
  [
    'an image host key without its URL',
    { IMAGE_HOST_KEY: 'key' },
    /^IMAGE_HOST_KEY is set, but IMAGE_HOST_URL is not/,
  ],
  [
    'an empty list of webhook secrets',
    { ...stripe, STRIPE_WEBHOOK_SECRET: ' , ' },
    /^STRIPE_WEBHOOK_SECRET is set, but must be the signing secret/,
  ],
  [
    'a Stripe URL without keys',
    { STRIPE_API_URL: 'https://x.example' },
    /^STRIPE_API_URL is set, but without keys the stand-ins run.*STRIPE_SECRET_KEY/,
  ],
  [
    'several URLs without keys',
    { STRIPE_JS_URL: 'https://x.example', GOOGLE_DISCOVERY_URL: 'https://x.example' },
    /^STRIPE_JS_URL, GOOGLE_DISCOVERY_URL are set.*unset them\.$/,
  ],
  ['a database other than PostgreSQL', { DATABASE_URL: 'mysql://x/y' }, /^DATABASE_URL .*PostgreSQL/],
  ...[
    'a,,b/shop',
    'a:port,b/shop',
    'a,b/shop?target_session_attrs=standby',
    'a/shop?target_session_attrs=read-only',
    '/shop?host=a,b',
  ].map((rest): [string, Record<string, string>, RegExp] => [
    `the servers ${rest}`,
    { DATABASE_URL: `postgres://me@${rest}` },
    /^DATABASE_URL is set, but must be .*several servers as in/,
  ]),
  ['a mail server over HTTP', { ...mail, SMTP_URL: 'https://mail.example' }, /^SMTP_URL .*smtp:\/\/user/],
  ...['pass/word', '25/word', 'pass#word', '25#word', 'pass?word', '25?word', 'pass word', 'pass%word'].map(
    (password): [string, Record<string, string>, RegExp] => [
      `the unescaped mail password ${password}`,
      { ...mail, SMTP_URL: `smtp://shop:${password}@mail.example:587` },
      /^SMTP_URL is set, but must be .*escaped/,
    ],
  ),
  ...['?tls.rejectUnauthorized=false', '/?secure=false', '#'].map(
    (end): [string, Record<string, string>, RegExp] => [
      `a mail server with ${end}`,
      { ...mail, SMTP_URL: `smtps://mail.example${end}` },
      /^SMTP_URL is set, but must be .*nothing after the port/,
    ],
  ),
  ['an unknown currency', { SHOP_CURRENCY: 'XXY' }, /^SHOP_CURRENCY is "XXY"/],
  ['a currency with three decimals', { SHOP_CURRENCY: 'KWD' }, /^SHOP_CURRENCY is "KWD"/],
  ['a currency that Stripe does not support', { SHOP_CURRENCY: 'IRR' }, /^SHOP_CURRENCY is "IRR"/],
  ['a name of spaces', { SHOP_NAME: '  ' }, /^SHOP_NAME is " {2}", but must be a name/],
  ['a long address', { SHOP_ADDRESS: 'x'.repeat(501) }, /^SHOP_ADDRESS is .*at most 500/],
  ['a hold of zero hours', { STOCK_HOLD_HOURS: '0' }, /^STOCK_HOLD_HOURS is "0"/],
  ['a short secret', { AUTH_SECRET: 'short' }, /^AUTH_SECRET .*at least 32/],
  ['a secret of spaces', { AUTH_SECRET: ' \t'.repeat(20) }, /^AUTH_SECRET .*at least 32/],
  ['a token with a space', { METRICS_TOKEN: 'of sixteen letters' }, /^METRICS_TOKEN .*without spaces/],
  ['a token with a newline', { METRICS_TOKEN: 'of-sixteen-letters\n' }, /^METRICS_TOKEN .*without spaces/],
  [
    'a proxy that is not an address',
    { TRUSTED_PROXIES: '10.0.0.0/8, proxy' },
    /^TRUSTED_PROXIES is "10.0.0.0\/8, proxy"/,
  ],
  ['an invalid network', { TRUSTED_PROXIES: '10.0.0.0/33' }, /^TRUSTED_PROXIES is "10.0.0.0\/33"/],
  ['a stop delay with a unit', { STOP_DELAY_SECONDS: '5s' }, /^STOP_DELAY_SECONDS is "5s".*0 to 300/],
  [
    'a Stripe key without Google',
    stripe,
    /^GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET are not set.*GOOGLE_SIGN_IN=off/,
  ],
  [
    'Google without a Stripe key',
    google,
    /^STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET are not set/,
  ],
  [
    'keys without a currency',
    { ...stripe, ...google, SHOP_CURRENCY: '' },
    /^SHOP_CURRENCY is not set, but a live shop must choose its currency/,
  ],
  [
    'production without keys',
    { NODE_ENV: 'production' },
    /are not set, and NODE_ENV is production.*SANDBOX=yes/,
  ],
  [
    'a live key in the sandbox',
    { ...stripe, ...google, STRIPE_SECRET_KEY: 'sk_live_1', SANDBOX: 'yes' },
    /^SANDBOX is yes, but/,
  ],
  [
    'keys from different modes',
    { ...stripe, ...google, STRIPE_SECRET_KEY: 'sk_live_1' },
    /have different modes/,
  ],
];

test.each(rejected)('%s is rejected in one sentence that names the setting', (_, env, sentence) => {
  expect(() => readConfig(env)).toThrow(sentence);
});

test('the error never contains the value of a secret', () => {
  expect(() => readConfig({ AUTH_SECRET: 'hunter2' })).not.toThrow(/hunter2/);
  expect(() => readConfig({ STRIPE_SECRET_KEY: 'oops_sk_live_123' })).not.toThrow(/oops_sk_live_123/);
  expect(() => readConfig({ DATABASE_URL: 'mysql://me:hunter2@db' })).not.toThrow(/hunter2/);
  expect(() => readConfig({ ...mail, SMTP_URL: 'smtp://me:hunter2/@mail.example' })).not.toThrow(/hunter2/);
});

test.each(['smtp://me:p%2Fw@mail.example:587', 'smtps://mail.example/', 'smtp://[::1]'])(
  'SMTP_URL may be %s',
  (url) => expect(readConfig({ ...mail, SMTP_URL: url }).mail).toEqual({ url, from: mail.MAIL_FROM }),
);

test.each([
  [
    'postgres://me:p@ss@a:1,b:2/shop?x=1',
    ['postgres://me:p@ss@a:1/shop?x=1', 'postgres://me:p@ss@b:2/shop?x=1'],
  ],
  ['postgresql://[::1]:1,[::2]/shop', ['postgresql://[::1]:1/shop', 'postgresql://[::2]/shop']],
  ['postgres://a,b/shop?target_session_attrs=read-write', undefined],
  ['postgres://me:p,w@a/shop', ['postgres://me:p,w@a/shop']],
  ['postgres://me:secret@/shop?host=/run/postgresql', undefined],
  ['postgres:///shop?host=/run/postgresql', undefined],
])('DATABASE_URL may be %s', (DATABASE_URL, urls) => {
  expect(readConfig({ DATABASE_URL }).database).toEqual({ url: DATABASE_URL });
  if (urls) expect(listServerUrls(DATABASE_URL)).toEqual(urls);
});

test('SANDBOX=yes runs the stand-ins in production', () => {
  expect(readConfig({ NODE_ENV: 'production', SANDBOX: 'yes' }).services).toBeUndefined();
});

test.each([
  ['CURRENCY', 'SHOP_CURRENCY'],
  ['STRIPE_SECRET', 'STRIPE_SECRET_KEY'],
  ['STRIPE_PUBLIC_KEY', 'STRIPE_PUBLISHABLE_KEY'],
  ['STRIPE_WEBHOOK_SECRETS', 'STRIPE_WEBHOOK_SECRET'],
  ['SMTP_HOST', 'SMTP_URL'],
  ['IMAGE_HOST', 'IMAGE_HOST_URL'],
  ['DATABASE', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['PUBLIC_ULR', 'PUBLIC_URL'],
  ['GOOGLE_SECRET', 'GOOGLE_CLIENT_SECRET'],
  ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
  ['SHOP_PUBLIC_URL', 'PUBLIC_URL'],
  ['shop_currency', 'SHOP_CURRENCY'],
])('for the misspelled setting %s, the message suggests %s', (name, nearest) => {
  const sentence = `${name} is set, but is not a setting of the shop: did you mean ${nearest}?`;
  expect(readConfig({ [name]: 'x' }).misspelled).toEqual([sentence]);
  // The error about a missing or wrong setting ends with the same sentence.
  expect(() => readConfig({ [name]: 'x', PORT: 'http' })).toThrow(
    `PORT is "http", but must be a port number, 1 to 65535. ${sentence}`,
  );
});

test('variables of other programs are not reported as misspelled settings', () => {
  const names = [
    'HOME',
    'HOSTNAME',
    'MAIL',
    'NAME',
    'PATH',
    'USER',
    'LOGNAME',
    'BASE_URL',
    'PGHOST',
    'PGPORT',
    'HTTP_PROXY',
    'NODE_EXTRA_CA_CERTS',
    'NODE_OPTIONS',
    'OTEL_SERVICE_NAME',
    'POSTGRES_PASSWORD',
    'HOST_PORTS',
    'TEST_DATABASE_URL',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'MALLOC_ARENA_MAX',
    'SHOP_UPSTREAM',
    'SHOP_SERVICE_HOST',
    'SHOP_PORT_3000_TCP_ADDR',
    'SHOP_PORT',
    'SMTP_SERVICE_PORT',
    'INVOCATION_ID',
    'STATE_DIRECTORY',
    'JOURNAL_STREAM',
    'npm_config_registry',
    'npm_lifecycle_event',
    'SECRET',
  ];
  expect(readConfig(Object.fromEntries(names.map((name) => [name, 'x']))).misspelled).toEqual([]);
  expect(readConfig({ CURRENCY: '' }).misspelled).toEqual([]);
});
