import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openLog } from '../../server/operations/log.ts';
import { callNames } from '../support/call-requests.ts';
import { allOffers, prepareCalls } from '../support/call-samples.ts';
import { makeFolder } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { cookieHeaders, sendAuthRequest, sendCall, sendRequest, tokenHeaders } from '../support/requests.ts';
import { startServer } from '../support/server.ts';
import { startShop, type TestShop } from '../support/shop.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const AUTH_SECRET = 'auth-canary-0123456789abcdef0123456789';

/** The names of the secrets that a text contains as they are, URL-encoded or in Base64. */
function findLeaks(text: string, secrets: Record<string, string>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const forms = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ];
    return forms.some((form) => form.length > 5 && text.includes(form)) ? [name] : [];
  });
}

/** Status, headers and body of a response. */
const readResponse = async (response: Response) =>
  `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;

/** The secrets of the shop and of all users. */
async function listSecrets(shop: TestShop): Promise<Record<string, string>> {
  const { db } = shop.database;
  const accounts = await db.selectFrom('account').select('password').execute();
  const settings = {
    AUTH_SECRET,
    'Stripe key': shop.stripe.secretKey,
    'signing secret': shop.stripe.webhookSecret,
  };
  const hashes = accounts.flatMap(({ password }, index) =>
    password ? [[`hash ${index}`, password] as const] : [],
  );
  return {
    ...settings,
    password: 'anchor-escapement',
    ...Object.fromEntries(hashes),
    folder: shop.config.dataDir,
  };
}

const pages = [
  '/',
  '/login',
  '/products',
  '/dashboard',
  '/dashboard/users',
  '/dashboard/allOrders',
  '/dashboard/myOrder',
];

test('no response contains a secret or another session, and no log contains these or email addresses', async () => {
  await using shop = await startShop({ settings: { ...allOffers, AUTH_SECRET }, allowErrorLogs: true });
  const [tom, ann, admin] = [await shop.signUp(), await shop.signUp('Ann'), await shop.admin()];
  const prepared = await prepareCalls(shop);
  const responses: string[] = [];
  const readSessions = async () => {
    const rows = await shop.database.db.selectFrom('session').select('token').execute();
    return Object.fromEntries(rows.map(({ token }) => [`session ${token.slice(0, 4)}`, token]));
  };
  async function collect(request: Promise<Response>, ownToken: string): Promise<void> {
    const text = await readResponse(await request);
    const [token = ''] = ownToken.split('.');
    const others = Object.entries(await readSessions()).filter(([, session]) => session !== token);
    expect(findLeaks(text, Object.fromEntries(others))).toEqual([]);
    responses.push(text);
  }
  for (const person of [tom, ann, admin]) {
    for (const name of callNames) {
      const sample = await prepared.calls[name](person);
      await collect(
        sendCall(shop, name, { ...sample, headers: { ...sample.headers, ...tokenHeaders(person) } }),
        person.token,
      );
      // Invalid requests: without a session, with another content type, for something that does not exist.
      await collect(sendCall(shop, name, sample), '');
      const wrong = { ...tokenHeaders(person), 'content-type': 'text/plain' };
      await collect(sendCall(shop, name, { params: { id: 'x', email: 'x' }, headers: wrong }), person.token);
    }
    for (const path of pages)
      await collect(sendRequest(shop, 'GET', path, { headers: cookieHeaders(person) }), person.token);
    const { email } = person;
    await collect(sendAuthRequest(shop, '/get-session', undefined, cookieHeaders(person)), person.token);
    await collect(sendAuthRequest(shop, '/sign-in/email', { email, password: 'wrong-password' }), '');
    await collect(
      sendAuthRequest(
        shop,
        '/change-password',
        { currentPassword: 'wrong', newPassword: 'abcdefgh-i' },
        cookieHeaders(person),
      ),
      person.token,
    );
  }
  // The provider fails in every way, Google is unreachable, and the database has lost a table.
  const order = async () => (await prepared.calls.createPaymentIntent(tom)).body;
  for (const how of ['unreachable', 'timeout-after-success', 500, 429] as const) {
    for (let attempt = 0; attempt < 2; attempt++) shop.stripe.fail({ call: 'POST /v1/payment_intents', how });
    await collect(
      sendCall(shop, 'createPaymentIntent', { body: await order(), headers: tokenHeaders(tom) }),
      tom.token,
    );
  }
  await collect(sendAuthRequest(shop, '/sign-in/social', { provider: 'google', callbackURL: '/' }), '');
  const secrets = await listSecrets(shop);
  await shop.database.db.schema.alterTable('review').renameTo('reviews_lost').execute();
  for (const path of ['/api/reviews', '/'])
    await collect(sendRequest(shop, 'GET', path, { headers: cookieHeaders(tom) }), tom.token);
  expect(responses.at(-2)).toMatch(/^500 .*"Something went wrong on our side/);

  const texts = responses.join('\n');
  expect(findLeaks(texts, secrets)).toEqual([]);
  expect(texts).not.toMatch(/\bat .*\.(ts|js|mjs):\d+|no such table|SQLITE|select "|node_modules/);
  const logs = JSON.stringify(shop.logged);
  expect(logs).toContain('no such table');
  const emails = Object.fromEntries([tom, ann, admin].map(({ email }) => [email, email]));
  expect(findLeaks(logs, { ...secrets, ...(await readSessions()), ...emails })).toEqual([]);
});

test('a live shop exposes no key in a response, its log or its console', async () => {
  const unreachable = `http://127.0.0.1:${await findFreePort()}`;
  const secrets = {
    AUTH_SECRET,
    STRIPE_SECRET_KEY: 'sk_test_canaryCanaryCanary',
    STRIPE_WEBHOOK_SECRET: 'whsec_canaryCanaryCanary',
    GOOGLE_CLIENT_SECRET: 'google-canary-canary-canary',
  };
  const settings = {
    ...secrets,
    SHOP_CURRENCY: 'USD',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_public',
    STRIPE_API_URL: unreachable,
    GOOGLE_CLIENT_ID: 'client',
    GOOGLE_DISCOVERY_URL: `${unreachable}/discovery`,
    PORT: `${await findFreePort()}`,
    DATA_DIR: makeFolder(),
  };
  const server = await startServer(settings);
  onTestFinished(async () => void (await server.kill('SIGTERM')));
  const { origin } = server;
  const remote = { origin, fetch };
  const responses: string[] = [];
  for (const path of [...pages, '/%zz/tom@example.com', '/api/products', '/api/openapi.json', '/healthz'])
    responses.push(await readResponse(await sendRequest(remote, 'GET', path)));
  responses.push(
    await readResponse(
      await sendAuthRequest(remote, '/sign-in/social', { provider: 'google', callbackURL: '/' }),
    ),
  );
  responses.push(
    await readResponse(await sendRequest(remote, 'POST', '/api/webhooks/stripe', { body: '{}' })),
  );
  expect(responses.join()).toContain('"chargedCurrency":"USD"');
  await server.kill('SIGTERM');
  expect(findLeaks([...responses, server.output.out, server.output.err].join('\n'), secrets)).toEqual([]);
  expect(server.output.err).not.toContain('tom@example.com');
  expect(server.output.err.split('\n').filter((line) => !/^({.*})?$/.test(line))).toEqual([]);
});

test('the files for the browser contain no secrets, no names of secrets and no server code', () => {
  const folder = join(root, 'dist', 'web');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const scripts = files.filter((file) => /\.(js|css|html|svg|webmanifest|map)$/.test(file));
  expect(scripts.length).toBeGreaterThan(10);
  expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
  const names =
    /AUTH_SECRET|STRIPE_SECRET|WEBHOOK_SECRET|CLIENT_SECRET|DATABASE_URL|METRICS_TOKEN|IMAGE_HOST_KEY/;
  const values = /\b(sk|rk)_(test|live)_\w|\bwhsec_\w|-----BEGIN|postgres(ql)?:\/\/\w|clockwork['"`]/;
  const serverCode = /process\.env\.(?!NODE_ENV)|node:(fs|crypto|sqlite)|better-auth|sourceMappingURL/;
  for (const file of scripts) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const pattern of [names, values, serverCode])
      expect([file, pattern.exec(text)?.[0]]).toEqual([file, undefined]);
    expect([file, text.includes(root)]).toEqual([file, false]);
  }
});

test('a database error is logged without the row that it quotes', () => {
  const lines: string[] = [];
  const log = openLog({ write: (line) => void lines.push(line) });
  const details = {
    code: '23505',
    detail: 'Key (email)=(tom@example.com) already exists.',
    where: 'tom@example.com',
  };
  log.error({ error: Object.assign(new Error('duplicate key'), details) }, 'unexpected error');
  log.warn({ cause: Object.assign(new Error('duplicate key'), details) }, 'refused');
  expect(lines.join()).toContain('23505');
  expect(lines.join()).not.toContain('tom@example.com');
});
