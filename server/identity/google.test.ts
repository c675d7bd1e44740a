import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Person } from '../../tests/support/ask.ts';
import { askIdentity } from '../../tests/support/ask.ts';
import { openJar } from '../../tests/support/browser-jar.ts';
import { engines } from '../../tests/support/database.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';

type Way = '/sign-in/social' | '/link-social';
type Choice = { email: string; verified?: 'on' } | { cancel: 'yes' };

const ines = { email: 'Ines.Vale@mail.example', verified: 'on' } as const;

/** A browser at the shop, over the network: Google's pages and cookies are as real as they get here. */
function openBrowser(shop: TestShop) {
  const jar = openJar();
  const post = (path: string, body: object) =>
    jar.visit(`${shop.origin}/api/auth${path}`, {
      method: 'POST',
      headers: { origin: shop.origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  /** Asks to go to Google; gives where that is. */
  async function begin(way: Way): Promise<string> {
    const errorCallbackURL = way === '/link-social' ? '/dashboard' : '/login';
    const asked = { provider: 'google', callbackURL: '/blogs', errorCallbackURL };
    const response = await post(way, asked);
    expect(response.status).toBe(200);
    const { url }: { url: string } = await response.json();
    return url;
  }

  /** Chooses somebody at Google, and stops where that leads back to the shop. */
  async function choose(choice: Choice, way: Way): Promise<string> {
    const page = await jar.follow(await begin(way));
    expect(await page.response.text()).toContain('Choose an account');
    const callback = `${shop.origin}/api/auth/callback/google`;
    const form = { method: 'POST', body: new URLSearchParams(choice) };
    const { url } = await jar.follow(page.url, form, callback);
    expect(url.startsWith(callback)).toBe(true);
    return url;
  }

  return {
    post,
    choose,
    visit: jar.visit,
    signIn: ({ email, password }: Person) => post('/sign-in/email', { email, password }),
    /** All the way; gives the path and query where the visitor ends. */
    async go(choice: Choice, way: Way = '/sign-in/social'): Promise<string> {
      const { url, response } = await jar.follow(await choose(choice, way));
      expect(url.startsWith(shop.origin)).toBe(true);
      expect(response.status).toBe(200);
      return url.slice(shop.origin.length);
    },
    async whoami(): Promise<string | undefined> {
      const response = await jar.visit(`${shop.origin}/api/auth/get-session`);
      const found: { user: { email: string } } | null = await response.json();
      return found?.user.email;
    },
  };
}

/** Everybody with an account, and how each signs in. */
async function listWays(shop: TestShop): Promise<Record<string, string[]>> {
  const rows = await shop.database.db
    .selectFrom('user')
    .leftJoin('account', 'account.userId', 'user.id')
    .select(['user.email', 'account.providerId'])
    .orderBy('account.id')
    .execute();
  const ways: Record<string, string[]> = {};
  for (const { email, providerId } of rows) ways[email] = [...(ways[email] ?? []), String(providerId)];
  return ways;
}

describe.each(engines)('on %s', (engine) => {
  test('somebody new comes in as a person of their own, and again as the same', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    for (const _ of [1, 2]) {
      const browser = openBrowser(shop);
      expect(await browser.go(ines)).toBe('/blogs');
      expect(await browser.whoami()).toBe('ines.vale@mail.example');
    }
    expect(await listWays(shop)).toEqual({ 'ines.vale@mail.example': ['google'] });
    const row = await shop.database.db.selectFrom('user').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ name: 'Ines Vale', role: null, address: '' });
    const callbacks = shop.logged.filter(
      (line) => 'security' in line && line.security === '/callback/google',
    );
    expect(callbacks).toMatchObject([{ person: row.id }, { person: row.id }]);
    // Nothing that could ask Google anything is kept.
    const kept = await sql<Record<string, unknown>>`select * from account`.execute(shop.database.db);
    expect(kept.rows).toMatchObject([{ accessToken: null, refreshToken: null, idToken: null }]);
    const admin = await shop.admin();
    const [person] = await shop.client(admin).call('listUsers', {});
    expect(person).toMatchObject({ signsInWith: ['google'] });
  });

  test('an address that Google has not verified is refused, and so is who cancels', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const browser = openBrowser(shop);
    expect(await browser.go({ email: ines.email })).toMatch(/^\/login\?error=email_not_found/);
    expect(await browser.whoami()).toBeUndefined();
    expect(await browser.go({ cancel: 'yes' })).toMatch(/^\/login\?error=access_denied/);
    expect(await browser.whoami()).toBeUndefined();
    // Nor does it get into an account of that address, or to one that signed in verified before.
    expect(await browser.go(ines)).toBe('/blogs');
    const again = openBrowser(shop);
    expect(await again.go({ email: ines.email })).toMatch(/^\/login\?error=/);
    expect(await again.whoami()).toBeUndefined();
    expect(await listWays(shop)).toEqual({ 'ines.vale@mail.example': ['google'] });
  });

  test('an account is joined with Google by its signed-in owner and in no other way', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    const asTom = { email: tom.email, verified: 'on' } as const;
    const stranger = openBrowser(shop);
    expect(await stranger.go(asTom)).toMatch(/^\/login\?error=account_not_linked/);
    expect(await stranger.whoami()).toBeUndefined();
    expect((await stranger.post('/link-social', { provider: 'google' })).status).toBe(401);
    expect(await listWays(shop)).toEqual({ [tom.email]: ['credential'], [ann.email]: ['credential'] });

    // The address at Google may be another one; it must be verified.
    const browser = openBrowser(shop);
    await browser.signIn(tom);
    expect(await browser.go({ email: ines.email }, '/link-social')).toMatch(/^\/dashboard\?error=\w+/);
    expect(await listWays(shop)).toMatchObject({ [tom.email]: ['credential'] });
    expect(await browser.go(ines, '/link-social')).toBe('/blogs');
    expect(await browser.whoami()).toBe(tom.email);
    expect(await listWays(shop)).toEqual({
      [tom.email]: ['credential', 'google'],
      [ann.email]: ['credential'],
    });
    const later = openBrowser(shop);
    expect(await later.go(ines)).toBe('/blogs');
    expect(await later.whoami()).toBe(tom.email);

    // What is joined to one person is not joined to a second.
    const second = openBrowser(shop);
    await second.signIn(ann);
    expect(await second.go(ines, '/link-social')).toMatch(/^\/dashboard\?error=\w+/);
    expect(await second.whoami()).toBe(ann.email);
    expect(await listWays(shop)).toMatchObject({ [ann.email]: ['credential'] });
  });

  test('while Google is out of reach that is said, passwords work, and then it is back', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    // Nobody listens yet, and so nobody answers for Google.
    for (const _ of [1, 2]) {
      const away = await askIdentity(shop, '/sign-in/social', { provider: 'google', callbackURL: '/' });
      expect([away.status, await away.json()]).toEqual([
        503,
        { code: 'UNAVAILABLE', message: expect.stringMatching(/^Google cannot be reached/) },
      ]);
    }
    await shop.listen();
    const browser = openBrowser(shop);
    expect((await browser.signIn(tom)).status).toBe(200);
    const visitor = openBrowser(shop);
    for (const part of ['token', 'jwks']) {
      shop.google.failingPaths.add(part);
      expect([part, await visitor.go(ines)]).toEqual([part, expect.stringMatching(/^\/login\?error=\w+/)]);
      expect(await visitor.whoami()).toBeUndefined();
      shop.google.failingPaths.delete(part);
    }
    expect(await visitor.go(ines)).toBe('/blogs');
    expect(await visitor.whoami()).toBe('ines.vale@mail.example');
  });
});

test('an answer of Google is good once, and in the browser that asked for it', async () => {
  await using shop = await startShop();
  await shop.listen();
  const [browser, other] = [openBrowser(shop), openBrowser(shop)];
  // Somebody else’s answer, slipped to a visitor, would sign them in as that person.
  const slipped = await browser.choose(ines, '/sign-in/social');
  const refused = await other.visit(slipped);
  expect(refused.headers.get('location')).toMatch(/error=/);
  expect(await other.whoami()).toBeUndefined();
  for (const wrong of ['', '?code=a', '?state=a', '?code=a&state=b', '?error=access_denied', '?code[]=a']) {
    const response = await other.visit(`${shop.origin}/api/auth/callback/google${wrong}`);
    expect([wrong, response.status]).toEqual([wrong, 302]);
    expect(new URL(response.headers.get('location') ?? '', shop.origin).origin).toBe(shop.origin);
  }
  expect(await other.whoami()).toBeUndefined();
  const fresh = openBrowser(shop);
  const once = await fresh.choose(ines, '/sign-in/social');
  await fresh.visit(once);
  expect(await fresh.whoami()).toBe('ines.vale@mail.example');
  await fresh.post('/sign-out', {});
  await fresh.visit(once);
  expect(await fresh.whoami()).toBeUndefined();
});

test('the way to Google leads back to our own pages alone, and to Google alone', async () => {
  await using shop = await startShop();
  await shop.listen();
  for (const elsewhere of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
  ]) {
    for (const field of ['callbackURL', 'errorCallbackURL']) {
      const form = { provider: 'google', callbackURL: '/', [field]: elsewhere };
      const response = await askIdentity(shop, '/sign-in/social', form);
      expect([field, elsewhere, response.status]).toEqual([field, elsewhere, 403]);
    }
  }
  const other = await askIdentity(shop, '/sign-in/social', { provider: 'github', callbackURL: '/' });
  expect(other.status).toBe(404);
  const { url } = await (
    await askIdentity(shop, '/sign-in/social', { provider: 'google', callbackURL: '/' })
  ).json();
  const { origin, searchParams } = new URL(url);
  expect(origin).toBe(shop.origin);
  expect(searchParams.get('redirect_uri')).toBe(`${shop.origin}/api/auth/callback/google`);
  expect(searchParams.get('code_challenge_method')).toBe('S256');
  for (const secret of ['state', 'nonce', 'code_challenge'])
    expect([secret, searchParams.get(secret)]).toEqual([secret, expect.stringMatching(/^[\w-]{32,}$/)]);
});
