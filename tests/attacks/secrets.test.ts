import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openLog } from '../../server/operations/log.ts';
import { ask, askIdentity, askPath, byCookie, byToken } from '../support/ask.ts';
import { makeFolder } from '../support/database.ts';
import { callNames } from '../support/every-ask.ts';
import { prepareEveryCall } from '../support/every-call.ts';
import { findFreePort } from '../support/port.ts';
import { startServer } from '../support/server.ts';
import { startShop, type TestShop } from '../support/shop.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const AUTH_SECRET = 'auth-canary-0123456789abcdef0123456789';

/** Where a secret stands in a text: itself, or as an address, JSON or Base64 would write it. */
function leaks(text: string, secrets: Record<string, string>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const forms = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ];
    return forms.some((form) => form.length > 5 && text.includes(form)) ? [name] : [];
  });
}

/** All that an answer says, headers and body. */
const readWhole = async (response: Response) =>
  `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;

/** What nobody is ever told: of the shop, and of every person that is there. */
async function secretsOf(shop: TestShop): Promise<Record<string, string>> {
  const { db } = shop.database;
  const accounts = await db.selectFrom('account').select('password').execute();
  const settings = {
    AUTH_SECRET,
    'Stripe key': shop.stripe.secretKey,
    'signing secret': shop.stripe.webhookSecret,
  };
  const hashes = accounts.flatMap(({ password }, at) =>
    password ? [[`hash ${at}`, password] as const] : [],
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

test('no answer tells a secret or somebody else’s session, and no log one of them or an e-mail', async () => {
  await using shop = await startShop({ settings: { AUTH_SECRET }, logsErrors: true });
  const [tom, ann, admin] = [await shop.signUp(), await shop.signUp('Ann'), await shop.admin()];
  const every = await prepareEveryCall(shop);
  const said: string[] = [];
  const sessions = async () => {
    const rows = await shop.database.db.selectFrom('session').select('token').execute();
    return Object.fromEntries(rows.map(({ token }) => [`session ${token.slice(0, 4)}`, token]));
  };
  async function hear(asked: Promise<Response>, own: string): Promise<void> {
    const text = await readWhole(await asked);
    const [token = ''] = own.split('.');
    const others = Object.entries(await sessions()).filter(([, each]) => each !== token);
    expect(leaks(text, Object.fromEntries(others))).toEqual([]);
    said.push(text);
  }
  for (const person of [tom, ann, admin]) {
    for (const name of callNames) {
      const given = await every.calls[name](person);
      await hear(
        ask(shop, name, { ...given, headers: { ...given.headers, ...byToken(person) } }),
        person.token,
      );
      // And asked wrong: by nobody, with a body that is none, of what is not there.
      await hear(ask(shop, name, given), '');
      const wrong = { ...byToken(person), 'content-type': 'text/plain' };
      await hear(ask(shop, name, { params: { id: 'x', email: 'x' }, headers: wrong }), person.token);
    }
    for (const path of pages)
      await hear(askPath(shop, 'GET', path, { headers: byCookie(person) }), person.token);
    const { email } = person;
    await hear(askIdentity(shop, '/get-session', undefined, byCookie(person)), person.token);
    await hear(askIdentity(shop, '/sign-in/email', { email, password: 'wrong-password' }), '');
    await hear(
      askIdentity(
        shop,
        '/change-password',
        { currentPassword: 'wrong', newPassword: 'abcdefgh-i' },
        byCookie(person),
      ),
      person.token,
    );
  }
  // The provider fails in every way, Google is not there, and the database has lost a table.
  const order = async () => (await every.calls.createPaymentIntent(tom)).body;
  for (const how of ['refused', 'timeout-after-success', 500, 429] as const) {
    for (let again = 0; again < 3; again++) shop.stripe.fail({ call: 'POST /v1/payment_intents', how });
    await hear(ask(shop, 'createPaymentIntent', { body: await order(), headers: byToken(tom) }), tom.token);
  }
  await hear(askIdentity(shop, '/sign-in/social', { provider: 'google', callbackURL: '/' }), '');
  const secrets = await secretsOf(shop);
  await shop.database.db.schema.alterTable('review').renameTo('reviews_lost').execute();
  for (const path of ['/api/reviews', '/'])
    await hear(askPath(shop, 'GET', path, { headers: byCookie(tom) }), tom.token);
  expect(said.at(-2)).toMatch(/^500 .*"Something went wrong on our side/);

  const texts = said.join('\n');
  expect(leaks(texts, secrets)).toEqual([]);
  expect(texts).not.toMatch(/\bat .*\.(ts|js|mjs):\d+|no such table|SQLITE|select "|node_modules/);
  const logs = JSON.stringify(shop.logged);
  expect(logs).toContain('no such table');
  const emails = Object.fromEntries([tom, ann, admin].map(({ email }) => [email, email]));
  expect(leaks(logs, { ...secrets, ...(await sessions()), ...emails })).toEqual([]);
});

test('a live shop tells no key to a page, an answer, its log or its console', async () => {
  const nobody = `http://127.0.0.1:${await findFreePort()}`;
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
    STRIPE_API_URL: nobody,
    GOOGLE_CLIENT_ID: 'client',
    GOOGLE_DISCOVERY_URL: `${nobody}/discovery`,
    PORT: `${await findFreePort()}`,
    DATA_DIR: makeFolder(),
  };
  const server = await startServer(settings);
  onTestFinished(async () => void (await server.kill('SIGTERM')));
  const { origin } = server;
  const remote = { origin, fetch };
  const said: string[] = [];
  for (const path of [...pages, '/%zz/tom@example.com', '/api/products', '/api/openapi.json', '/healthz'])
    said.push(await readWhole(await askPath(remote, 'GET', path)));
  said.push(
    await readWhole(await askIdentity(remote, '/sign-in/social', { provider: 'google', callbackURL: '/' })),
  );
  said.push(await readWhole(await askPath(remote, 'POST', '/api/webhooks/stripe', { body: '{}' })));
  expect(said.join()).toContain('pk_test_public');
  await server.kill('SIGTERM');
  expect(leaks([...said, server.said.out, server.said.err].join('\n'), secrets)).toEqual([]);
  expect(server.said.err).not.toContain('tom@example.com');
  expect(server.said.err.split('\n').filter((line) => !/^({.*})?$/.test(line))).toEqual([]);
});

test('the browser’s files hold no secret, nor a name or a way to one', () => {
  const folder = join(root, 'dist', 'web');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const scripts = files.filter((file) => /\.(js|css|html|svg|webmanifest|map)$/.test(file));
  expect(scripts.length).toBeGreaterThan(10);
  expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
  const names =
    /AUTH_SECRET|STRIPE_SECRET|WEBHOOK_SECRET|CLIENT_SECRET|DATABASE_URL|METRICS_TOKEN|IMAGE_HOST_KEY/;
  const values = /\b(sk|rk)_(test|live)_\w|\bwhsec_\w|-----BEGIN|postgres(ql)?:\/\/\w|clockwork['"`]/;
  const ways = /process\.env\.(?!NODE_ENV)|node:(fs|crypto|sqlite)|better-auth|sourceMappingURL/;
  for (const file of scripts) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const pattern of [names, values, ways])
      expect([file, pattern.exec(text)?.[0]]).toEqual([file, undefined]);
    expect([file, text.includes(root)]).toEqual([file, false]);
  }
});

test('an error of the database is logged without the row that it quotes', () => {
  const lines: string[] = [];
  const log = openLog({ write: (line) => void lines.push(line) });
  const more = {
    code: '23505',
    detail: 'Key (email)=(tom@example.com) already exists.',
    where: 'tom@example.com',
  };
  log.error({ error: Object.assign(new Error('duplicate key'), more) }, 'unexpected error');
  log.warn({ cause: Object.assign(new Error('duplicate key'), more) }, 'refused');
  expect(lines.join()).toContain('23505');
  expect(lines.join()).not.toContain('tom@example.com');
});
