import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Person } from '../support/ask.ts';
import { askIdentity, byCookie, cookieOf } from '../support/ask.ts';
import { type Claims, openFakeGoogle } from '../support/google.ts';
import { startShop, type TestShop } from '../support/shop.ts';

type Google = Awaited<ReturnType<typeof openFakeGoogle>>;

const begin = { provider: 'google', callbackURL: '/blogs', errorCallbackURL: '/login' };
const ines = 'ines@mail.example';

/** Starts a sign-in; returns the parameters sent to Google, and the cookie. */
async function leave(shop: TestShop, path = '/sign-in/social', person?: Person, body: object = begin) {
  const response = await askIdentity(shop, path, body, person ? byCookie(person) : {});
  const { url }: { url: string } = await response.json();
  const { searchParams } = new URL(url);
  const state = searchParams.get('state') ?? '';
  return { searchParams, state, nonce: searchParams.get('nonce') ?? '', cookie: cookieOf(response) };
}

/** Returns from Google with `tokens`: where the callback redirects to, and whether it sets a session. */
async function comeBack(
  shop: TestShop,
  google: Google,
  { state, cookie }: { state: string; cookie: string },
  tokens: Claims,
): Promise<{ location: string | null; entered: boolean }> {
  google.state.tokens = tokens;
  const response = await askIdentity(shop, `/callback/google?code=a&state=${state}`, undefined, { cookie });
  return {
    location: response.headers.get('location'),
    entered: cookieOf(response).includes('session_token='),
  };
}

const countAccounts = async ({ database }: TestShop) =>
  (await database.db.selectFrom('account').select('id').execute()).length;

describe('an id_token', () => {
  type Change = (claims: Claims, google: Google) => Claims;
  const without =
    (...names: string[]): Change =>
    (claims, { signToken }) => ({
      id_token: signToken(
        Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name))),
      ),
    });
  const withClaims =
    (change: Claims): Change =>
    (claims, { signToken }) => ({ id_token: signToken({ ...claims, ...change }) });
  const past = Math.floor(Date.now() / 1000) - 3600;
  const ours = 'shop.apps.google.example';

  test.each<[string, Change]>([
    ['as Google makes it', withClaims({})],
    ['without azp', without('azp')],
    ['for several audiences, made for us', withClaims({ aud: [ours, 'another'] })],
    ['without a name', without('name')],
  ])('%s signs in', async (_, change) => {
    await using google = await openFakeGoogle();
    await using shop = await startShop({ settings: google.settings });
    const way = await leave(shop);
    const tokens = change(google.claimsOf('1', ines, way.nonce), google);
    expect(await comeBack(shop, google, way, tokens)).toEqual({ location: '/blogs', entered: true });
    expect(google.state.asked).not.toContain('/userinfo');
  });

  test('of any other kind signs nobody in, and userinfo is never requested', async () => {
    await using google = await openFakeGoogle();
    await using shop = await startShop({ settings: google.settings });
    const victim = await leave(shop);
    const own = google.claimsOf('victim', ines, victim.nonce);
    await comeBack(shop, google, victim, { id_token: google.signToken(own) });
    google.state.userinfo = { sub: 'victim', id: 'victim', email: ines, email_verified: true, name: 'Ines' };

    const tom = await shop.signUp();
    const changes: [string, Change][] = [
      ['missing', () => ({})],
      ['empty', () => ({ id_token: '' })],
      ['no token', () => ({ id_token: 'opaque' })],
      ['without e-mail', without('email')],
      ['without e-mail and verification', without('email', 'email_verified')],
      ['with an address that is not verified', withClaims({ email_verified: false })],
      ['that does not say whether the address is verified', without('email_verified')],
      ['that says so in words', withClaims({ email_verified: 'true' })],
      ['without exp', without('exp')],
      ['that has expired', withClaims({ exp: past })],
      ['with an exp that is no number', withClaims({ exp: '9999999999' })],
      ['of another issuer', withClaims({ iss: 'https://accounts.google.example' })],
      ['without iss', without('iss')],
      ['for another audience', withClaims({ aud: 'another' })],
      ['without aud', without('aud')],
      ['made for another party', withClaims({ azp: 'another' })],
      ['made for a party without a name', withClaims({ azp: '' })],
      ['for several audiences, made for one of the others', withClaims({ aud: [ours, 'b'], azp: 'b' })],
      [
        'for several audiences, made for none',
        (claims, given) => without('azp')({ ...claims, aud: [ours, 'b'] }, given),
      ],
      ['with another nonce', withClaims({ nonce: 'of another sign-in' })],
      ['without nonce', without('nonce')],
      ['without sub', without('sub')],
      ['with an empty sub', withClaims({ sub: '' })],
      [
        'signed with another key',
        (claims, { signToken }) => ({ id_token: signToken(claims, 'another key') }),
      ],
      [
        'signed with the public key',
        (claims, { signToken }) => ({ id_token: signToken(claims, 'public key') }),
      ],
      ['unsigned', (claims, { signToken }) => ({ id_token: signToken(claims, 'nobody') })],
    ];
    for (const [kind, change] of changes) {
      const way = await leave(shop);
      const claims = google.claimsOf('attacker', 'mallory@mail.example', way.nonce);
      const { location, entered } = await comeBack(shop, google, way, change(claims, google));
      expect([kind, location, entered]).toEqual([kind, expect.stringMatching(/^\/login\?error=\w+$/), false]);

      const link = await leave(shop, '/link-social', tom);
      const before = await countAccounts(shop);
      await comeBack(shop, google, link, change({ ...claims, nonce: link.nonce }, google));
      expect([kind, await countAccounts(shop)]).toEqual([kind, before]);
    }
    expect(google.state.asked).not.toContain('/userinfo');
    const users = await shop.database.db.selectFrom('user').select('email').execute();
    expect(users.map(({ email }) => email)).not.toContain('mallory@mail.example');
  });
});

// With a token that a victim gave to some other site, that site could sign in as the victim.
test('an id_token in the body of a call signs nobody in and links nothing', async () => {
  await using google = await openFakeGoogle();
  await using shop = await startShop({ settings: google.settings });
  const way = await leave(shop);
  const victim = google.claimsOf('victim', ines, way.nonce);
  const replayed = google.signToken(victim);
  await comeBack(shop, google, way, { id_token: replayed });
  google.state.userinfo = { sub: 'victim', email: ines, email_verified: true };
  const { email: _, ...mute } = google.claimsOf('attacker', 'mallory@mail.example', 'n');
  const mallory = await shop.signUp('Mallory');
  const accounts = await countAccounts(shop);
  for (const path of ['/sign-in/social', '/link-social']) {
    for (const idToken of [
      { token: google.signToken(mute), nonce: 'n', accessToken: 'of the victim' },
      { token: google.signToken(mute), accessToken: 'of the victim' },
      { token: replayed, nonce: way.nonce },
      { token: replayed },
    ]) {
      const person = path === '/link-social' ? byCookie(mallory) : {};
      const response = await askIdentity(shop, path, { ...begin, idToken }, person);
      expect(await response.json()).toMatchObject({ url: expect.stringContaining('/auth?'), redirect: true });
      expect(cookieOf(response)).not.toContain('session_token');
    }
  }
  expect(await countAccounts(shop)).toBe(accounts);
  expect(google.state.asked).not.toContain('/userinfo');
});

test('of a body, only the return addresses reach Google or the callback', async () => {
  await using google = await openFakeGoogle();
  await using shop = await startShop({ settings: google.settings });
  const tom = await shop.signUp();
  const evil = {
    ...{ scopes: ['evil'], additionalParams: { hd: 'evil', claims: 'evil' }, loginHint: 'evil' },
    ...{ newUserCallbackURL: '/evil', requestSignUp: true, disableRedirect: true },
    additionalData: {
      link: { email: tom.email, userId: 'evil' },
      codeVerifier: 'evil',
      idTokenNonce: 'evil',
    },
  };
  for (const path of ['/sign-in/social', '/link-social']) {
    const { searchParams } = await leave(shop, path, tom, { ...begin, ...evil });
    expect(searchParams.get('scope')).toBe('openid email profile');
    expect(searchParams.toString()).not.toContain('evil');
  }
  const { rows } = await sql<{ value: string }>`select value from verification`.execute(shop.database.db);
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toContain('evil');
});
