import { createServer, type ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { contract } from '../../contract/contract.ts';
import { apiBase } from '../../contract/paths.ts';
import { createCookieClient } from '../../tests/support/browser-jar.ts';
import { engines } from '../../tests/support/database.ts';
import { listenOnFreePort } from '../../tests/support/port.ts';
import type { TestUser } from '../../tests/support/requests.ts';
import { sendAuthRequest } from '../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';
import { interruptBefore } from '../../tests/support/statements.ts';
import { computeCode, turnOnTwoFactor } from '../../tests/support/two-factor.ts';
import { fetchFromGoogle } from './google.ts';
import { issueToken } from './recovery/tokens.ts';

type StartPath = '/sign-in/social' | '/link-social';
type Choice = { email: string; verified?: 'on' } | { cancel: 'yes' };

const ines = { email: 'Ines.Vale@mail.example', verified: 'on' } as const;

/** A browser with its own cookies that visits the shop and the stand-in for Google over the network. */
function openBrowser(shop: TestShop) {
  const jar = createCookieClient();
  const post = (path: string, body: object) =>
    jar.visit(`${shop.origin}/api/auth${path}`, {
      method: 'POST',
      headers: { origin: shop.origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  /** Starts a sign-in or a link; returns the URL at Google. */
  async function begin(startPath: StartPath): Promise<string> {
    const errorCallbackURL = startPath === '/link-social' ? '/dashboard' : '/login';
    const response = await post(startPath, { provider: 'google', callbackURL: '/blogs', errorCallbackURL });
    expect(response.status).toBe(200);
    const { url }: { url: string } = await response.json();
    return url;
  }

  /** Chooses an account at Google; returns the callback URL without visiting it. */
  async function choose(choice: Choice, startPath: StartPath): Promise<string> {
    const page = await jar.followRedirects(await begin(startPath));
    expect(await page.response.text()).toContain('Choose an account');
    const callback = `${shop.origin}/api/auth/callback/google`;
    const form = { method: 'POST', body: new URLSearchParams(choice) };
    const { url } = await jar.followRedirects(page.url, form, callback);
    expect(url.startsWith(callback)).toBe(true);
    return url;
  }

  return {
    post,
    choose,
    visit: jar.visit,
    signIn: ({ email, password }: TestUser) => post('/sign-in/email', { email, password }),
    /** Completes the flow; returns the path and query of the last page. */
    async complete(choice: Choice, startPath: StartPath = '/sign-in/social'): Promise<string> {
      const { url, response } = await jar.followRedirects(await choose(choice, startPath));
      expect(url.startsWith(shop.origin)).toBe(true);
      expect(response.status).toBe(200);
      return url.slice(shop.origin.length);
    },
    async readEmail(): Promise<string | undefined> {
      const response = await jar.visit(`${shop.origin}/api/auth/get-session`);
      const session: { user: { email: string } } | null = await response.json();
      return session?.user.email;
    },
  };
}

/** Each user's sign-in providers, by email address. */
async function listProviders(shop: TestShop): Promise<Record<string, string[]>> {
  const rows = await shop.database.db
    .selectFrom('user')
    .leftJoin('account', 'account.userId', 'user.id')
    .select(['user.email', 'account.providerId'])
    .orderBy('account.id')
    .execute();
  const providers: Record<string, string[]> = {};
  for (const { email, providerId } of rows)
    providers[email] = [...(providers[email] ?? []), String(providerId)];
  return providers;
}

describe.each(engines)('on %s', (engine) => {
  test('the first Google sign-in creates a user, and the next one finds it', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    for (const _ of [1, 2]) {
      const browser = openBrowser(shop);
      expect(await browser.complete(ines)).toBe('/blogs');
      expect(await browser.readEmail()).toBe('ines.vale@mail.example');
    }
    expect(await listProviders(shop)).toEqual({ 'ines.vale@mail.example': ['google'] });
    const row = await shop.database.db.selectFrom('user').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ name: 'Ines Vale', role: null, address: '' });
    const callbacks = shop.logged.filter(
      (line) => 'security' in line && line.security === '/callback/google',
    );
    expect(callbacks).toMatchObject([{ person: row.id }, { person: row.id }]);
    // No tokens are stored.
    const accounts = await sql<Record<string, unknown>>`select * from account`.execute(shop.database.db);
    expect(accounts.rows).toMatchObject([{ accessToken: null, refreshToken: null, idToken: null }]);
    const admin = await shop.admin();
    const [user] = await shop.client(admin).call('listUsers', {});
    expect(user).toMatchObject({ signsInWith: ['google'] });
  });

  test('a password reset ends a Google sign-in in flight', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    await openBrowser(shop).complete(ines);
    const email = ines.email.toLowerCase();
    const browser = openBrowser(shop);
    interruptBefore(shop.database.db, /^insert into "session"/, async () => {
      const form = {
        token: await issueToken(shop.database, 'reset password', email),
        newPassword: 'verge-and-foliot',
      };
      expect((await sendAuthRequest(shop, '/reset-password', form)).status).toBe(200);
    });
    expect(await browser.complete(ines)).toBe('/login?error=unable_to_create_session');
    expect(await browser.readEmail()).toBeUndefined();
    expect(await shop.database.db.selectFrom('session').select('id').execute()).toEqual([]);
    expect(await browser.complete(ines)).toBe('/blogs');
  });

  test('linking Google, if started before a password reset, cannot be finished during or after it', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const tom = await shop.signUp();
    const password = 'verge-and-foliot';
    const reset = async () => {
      const form = {
        token: await issueToken(shop.database, 'reset password', tom.email),
        newPassword: password,
      };
      expect((await sendAuthRequest(shop, '/reset-password', form)).status).toBe(200);
    };
    const browser = openBrowser(shop);
    await browser.signIn(tom);
    const callback = await browser.choose(ines, '/link-social');
    await reset();
    await browser.visit(callback);
    expect(await listProviders(shop)).toEqual({ [tom.email]: ['credential'] });

    expect((await browser.signIn({ ...tom, password })).status).toBe(200);
    const next = await browser.choose(ines, '/link-social');
    interruptBefore(shop.database.db, /^insert into "account"/, reset);
    const linked = await browser.visit(next);
    expect(linked.headers.get('location')).toBe('/login?error=unable_to_link_account');
    expect(await listProviders(shop)).toEqual({ [tom.email]: ['credential'] });
  });

  test('Google sign-in has no second step, but with REQUIRE_ADMIN_2FA admin rights need a code', async () => {
    await using shop = await startShop({ engine, settings: { REQUIRE_ADMIN_2FA: 'yes' } });
    await shop.listen();
    const ada = await shop.admin();
    const linking = openBrowser(shop);
    await linking.signIn(ada);
    expect(await linking.complete(ines, '/link-social')).toBe('/blogs');
    const { secret } = await turnOnTwoFactor(shop, await shop.signIn(ada.email, ada.password), 0);
    const browser = openBrowser(shop);
    expect(await browser.complete(ines)).toBe('/blogs');
    expect(await browser.readEmail()).toBe(ada.email);
    const listUsers = async () =>
      (await browser.visit(shop.origin + apiBase + contract.listUsers.path)).status;
    expect(await listUsers()).toBe(403);
    // The password does not replace the code.
    for (const path of ['/two-factor/disable', '/two-factor/generate-backup-codes'])
      expect([path, (await browser.post(path, { password: ada.password })).status]).toEqual([path, 403]);
    expect((await browser.post('/two-factor/verify-totp', { code: computeCode(secret, 1) })).status).toBe(
      200,
    );
    expect(await listUsers()).toBe(200);
  });

  test('an unverified address, a cancelled sign-in and a wrong code are rejected without a logged error', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const browser = openBrowser(shop);
    expect(await browser.complete({ email: ines.email })).toMatch(/^\/login\?error=email_not_found/);
    expect(await browser.readEmail()).toBeUndefined();
    expect(await browser.complete({ cancel: 'yes' })).toMatch(/^\/login\?error=access_denied/);
    expect(await browser.readEmail()).toBeUndefined();
    const callback = new URL(await browser.choose(ines, '/sign-in/social'));
    callback.searchParams.set('code', 'wrong');
    const wrong = await browser.visit(String(callback));
    expect(wrong.headers.get('location')).toMatch(/^\/login\?error=invalid_code/);
    expect(await browser.readEmail()).toBeUndefined();
    expect(shop.logged.filter(({ level }) => level >= 40)).toEqual([]);
    // An unverified address is rejected even if the account has signed in before, when the address was verified.
    expect(await browser.complete(ines)).toBe('/blogs');
    const second = openBrowser(shop);
    expect(await second.complete({ email: ines.email })).toMatch(/^\/login\?error=/);
    expect(await second.readEmail()).toBeUndefined();
    expect(await listProviders(shop)).toEqual({ 'ines.vale@mail.example': ['google'] });
  });

  test('only the signed-in owner can link an account with Google', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    const asTom = { email: tom.email, verified: 'on' } as const;
    const stranger = openBrowser(shop);
    expect(await stranger.complete(asTom)).toMatch(/^\/login\?error=account_not_linked/);
    expect(await stranger.readEmail()).toBeUndefined();
    expect((await stranger.post('/link-social', { provider: 'google' })).status).toBe(401);
    expect(await listProviders(shop)).toEqual({ [tom.email]: ['credential'], [ann.email]: ['credential'] });

    // The address at Google may differ, but must be verified.
    const browser = openBrowser(shop);
    await browser.signIn(tom);
    expect(await browser.complete({ email: ines.email }, '/link-social')).toMatch(/^\/dashboard\?error=\w+/);
    expect(await listProviders(shop)).toMatchObject({ [tom.email]: ['credential'] });
    expect(await browser.complete(ines, '/link-social')).toBe('/blogs');
    expect(await browser.readEmail()).toBe(tom.email);
    expect(await listProviders(shop)).toEqual({
      [tom.email]: ['credential', 'google'],
      [ann.email]: ['credential'],
    });
    const later = openBrowser(shop);
    expect(await later.complete(ines)).toBe('/blogs');
    expect(await later.readEmail()).toBe(tom.email);

    // A Google account that is linked to one user cannot be linked to another.
    const second = openBrowser(shop);
    await second.signIn(ann);
    expect(await second.complete(ines, '/link-social')).toMatch(/^\/dashboard\?error=\w+/);
    expect(await second.readEmail()).toBe(ann.email);
    expect(await listProviders(shop)).toMatchObject({ [ann.email]: ['credential'] });
  });

  test('while Google is unreachable, Google sign-in responds with 503 and passwords work; afterwards Google sign-in recovers', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    // The stand-in for Google is unreachable until the shop listens.
    for (const _ of [1, 2]) {
      const failed = await sendAuthRequest(shop, '/sign-in/social', { provider: 'google', callbackURL: '/' });
      expect([failed.status, await failed.json()]).toEqual([
        503,
        { code: 'UNAVAILABLE', message: expect.stringMatching(/^Google cannot be reached/) },
      ]);
    }
    await shop.listen();
    const browser = openBrowser(shop);
    expect((await browser.signIn(tom)).status).toBe(200);
    const visitor = openBrowser(shop);
    for (const endpoint of ['token', 'jwks']) {
      shop.google.failingPaths.add(endpoint);
      expect([endpoint, await visitor.complete(ines)]).toEqual([
        endpoint,
        expect.stringMatching(/^\/login\?error=\w+/),
      ]);
      expect(await visitor.readEmail()).toBeUndefined();
      shop.google.failingPaths.delete(endpoint);
    }
    expect(await visitor.complete(ines)).toBe('/blogs');
    expect(await visitor.readEmail()).toBe('ines.vale@mail.example');
  });
});

test('at most 50 requests wait for Google at a time', async () => {
  const waiting: ServerResponse[] = [];
  const full = Promise.withResolvers<void>();
  const server = createServer((_, outgoing) => {
    waiting.push(outgoing);
    if (waiting.length === 50) full.resolve();
  });
  const url = `http://127.0.0.1:${await listenOnFreePort(server)}/token`;
  const requests = Array.from({ length: 50 }, () => fetchFromGoogle(url));
  await full.promise;
  await expect(fetchFromGoogle(url)).rejects.toMatchObject({ code: 'unavailable' });
  for (const outgoing of waiting) outgoing.end('{}');
  for (const response of await Promise.all(requests)) expect(response.status).toBe(200);
  server.close();
});

test('a callback from Google works once, and only in the browser that started the sign-in', async () => {
  await using shop = await startShop();
  await shop.listen();
  const [browser, other] = [openBrowser(shop), openBrowser(shop)];
  // Login CSRF: a visitor who opens an attacker's callback would be signed in as the attacker.
  const stolen = await browser.choose(ines, '/sign-in/social');
  const rejected = await other.visit(stolen);
  expect(rejected.headers.get('location')).toMatch(/error=/);
  expect(await other.readEmail()).toBeUndefined();
  for (const wrong of ['', '?code=a', '?state=a', '?code=a&state=b', '?error=access_denied', '?code[]=a']) {
    const response = await other.visit(`${shop.origin}/api/auth/callback/google${wrong}`);
    expect([wrong, response.status]).toEqual([wrong, 302]);
    expect(new URL(response.headers.get('location') ?? '', shop.origin).origin).toBe(shop.origin);
  }
  expect(await other.readEmail()).toBeUndefined();
  const fresh = openBrowser(shop);
  const callback = await fresh.choose(ines, '/sign-in/social');
  await fresh.visit(callback);
  expect(await fresh.readEmail()).toBe('ines.vale@mail.example');
  await fresh.post('/sign-out', {});
  await fresh.visit(callback);
  expect(await fresh.readEmail()).toBeUndefined();
});

test('a Google sign-in accepts only callback URLs of the shop, and uses PKCE, state and nonce', async () => {
  await using shop = await startShop();
  await shop.listen();
  for (const foreign of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
  ]) {
    for (const field of ['callbackURL', 'errorCallbackURL']) {
      const form = { provider: 'google', callbackURL: '/', [field]: foreign };
      const response = await sendAuthRequest(shop, '/sign-in/social', form);
      expect([field, foreign, response.status]).toEqual([field, foreign, 403]);
    }
  }
  const other = await sendAuthRequest(shop, '/sign-in/social', { provider: 'github', callbackURL: '/' });
  expect(other.status).toBe(404);
  const { url } = await (
    await sendAuthRequest(shop, '/sign-in/social', { provider: 'google', callbackURL: '/' })
  ).json();
  const { origin, searchParams } = new URL(url);
  expect(origin).toBe(shop.origin);
  expect(searchParams.get('redirect_uri')).toBe(`${shop.origin}/api/auth/callback/google`);
  expect(searchParams.get('code_challenge_method')).toBe('S256');
  for (const secret of ['state', 'nonce', 'code_challenge'])
    expect([secret, searchParams.get(secret)]).toEqual([secret, expect.stringMatching(/^[\w-]{32,}$/)]);
});
