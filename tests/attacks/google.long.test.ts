import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type Claims, type Misbehaviour, startFakeGoogle } from '../support/google.ts';
import type { TestUser } from '../support/requests.ts';
import { cookieHeaders, readSetCookies, sendAuthRequest } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';

type Google = Awaited<ReturnType<typeof startFakeGoogle>>;

const begin = { provider: 'google', callbackURL: '/blogs', errorCallbackURL: '/login' };
const ines = 'ines@mail.example';

/** Starts a sign-in; returns the parameters sent to Google, and the cookie. */
async function startSignIn(
  shop: TestShop,
  path = '/sign-in/social',
  person?: TestUser,
  body: object = begin,
) {
  const response = await sendAuthRequest(shop, path, body, person ? cookieHeaders(person) : {});
  const { url }: { url: string } = await response.json();
  const { searchParams } = new URL(url);
  const state = searchParams.get('state') ?? '';
  return { searchParams, state, nonce: searchParams.get('nonce') ?? '', cookie: readSetCookies(response) };
}

/** Returns from Google with `tokens`. Resolves to the target of the callback's redirect, and whether it sets a session. */
async function returnFromGoogle(
  shop: TestShop,
  google: Google,
  { state, cookie }: { state: string; cookie: string },
  tokens: Claims,
): Promise<{ location: string | null; signedIn: boolean }> {
  google.state.tokens = tokens;
  const response = await sendAuthRequest(shop, `/callback/google?code=a&state=${state}`, undefined, {
    cookie,
  });
  return {
    location: response.headers.get('location'),
    signedIn: readSetCookies(response).includes('session_token='),
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
  const clientId = 'shop.apps.google.example';

  test.each<[string, Change]>([
    ['as Google issues it', withClaims({})],
    ['without azp', without('azp')],
    ['for several audiences, issued to us', withClaims({ aud: [clientId, 'another'] })],
    ['without a name', without('name')],
  ])('%s signs in', async (_, change) => {
    await using google = await startFakeGoogle();
    await using shop = await startShop({ settings: google.settings });
    const attempt = await startSignIn(shop);
    const tokens = change(google.claimsOf('1', ines, attempt.nonce), google);
    expect(await returnFromGoogle(shop, google, attempt, tokens)).toEqual({
      location: '/blogs',
      signedIn: true,
    });
    expect(google.state.requests).not.toContain('/userinfo');
  });

  test('that is invalid creates no session, and userinfo is never requested', async () => {
    await using google = await startFakeGoogle();
    await using shop = await startShop({ settings: google.settings });
    const victim = await startSignIn(shop);
    const own = google.claimsOf('victim', ines, victim.nonce);
    await returnFromGoogle(shop, google, victim, { id_token: google.signToken(own) });
    google.state.userinfo = { sub: 'victim', id: 'victim', email: ines, email_verified: true, name: 'Ines' };

    const tom = await shop.signUp();
    const changes: [string, Change][] = [
      ['missing', () => ({})],
      ['empty', () => ({ id_token: '' })],
      ['not a JWT', () => ({ id_token: 'opaque' })],
      ['without email', without('email')],
      ['without email and email_verified', without('email', 'email_verified')],
      ['with an unverified address', withClaims({ email_verified: false })],
      ['without email_verified', without('email_verified')],
      ['with email_verified as a string', withClaims({ email_verified: 'true' })],
      ['without exp', without('exp')],
      ['that is expired', withClaims({ exp: past })],
      ['with an exp that is not a number', withClaims({ exp: '9999999999' })],
      ['of another issuer', withClaims({ iss: 'https://accounts.google.example' })],
      ['without iss', without('iss')],
      ['for another audience', withClaims({ aud: 'another' })],
      ['without aud', without('aud')],
      ['issued to another party', withClaims({ azp: 'another' })],
      ['with an empty azp', withClaims({ azp: '' })],
      ['for several audiences, issued to another one', withClaims({ aud: [clientId, 'b'], azp: 'b' })],
      [
        'for several audiences, without azp',
        (claims, issuer) => without('azp')({ ...claims, aud: [clientId, 'b'] }, issuer),
      ],
      ['with another nonce', withClaims({ nonce: 'of another sign-in' })],
      ['without nonce', without('nonce')],
      ['without sub', without('sub')],
      ['with an empty sub', withClaims({ sub: '' })],
      ['with a long sub', withClaims({ sub: '1'.repeat(100_000) })],
      ['with a NUL in sub', withClaims({ sub: '1\0' })],
      ['with a line break in sub', withClaims({ sub: '1\n2' })],
      ['with an address without @', withClaims({ email: 'nobody' })],
      ['with a line break in the address', withClaims({ email: 'mallory@mail.example\nBcc: a@b.example' })],
      ['with a long address', withClaims({ email: `${'m'.repeat(100_000)}@mail.example` })],
      ['with an address that reaches another mailbox', withClaims({ email: 'mallory@mail.example>' })],
      ['with an invisible character in the address', withClaims({ email: 'mal\u200Blory@mail.example' })],
      ['with a NUL in the address', withClaims({ email: 'mallory\0@mail.example' })],
      [
        'signed with another key',
        (claims, { signToken }) => ({ id_token: signToken(claims, 'another key') }),
      ],
      [
        'signed with the public key',
        (claims, { signToken }) => ({ id_token: signToken(claims, 'public key') }),
      ],
      ['unsigned', (claims, { signToken }) => ({ id_token: signToken(claims, 'no key') })],
    ];
    for (const [kind, change] of changes) {
      const attempt = await startSignIn(shop);
      const claims = google.claimsOf('attacker', 'mallory@mail.example', attempt.nonce);
      const { location, signedIn } = await returnFromGoogle(shop, google, attempt, change(claims, google));
      expect([kind, location, signedIn]).toEqual([
        kind,
        expect.stringMatching(/^\/login\?error=\w+$/),
        false,
      ]);

      const link = await startSignIn(shop, '/link-social', tom);
      const before = await countAccounts(shop);
      await returnFromGoogle(shop, google, link, change({ ...claims, nonce: link.nonce }, google));
      expect([kind, await countAccounts(shop)]).toEqual([kind, before]);
    }
    expect(google.state.requests).not.toContain('/userinfo');
    const users = await shop.database.db.selectFrom('user').select('email').execute();
    expect(users.map(({ email }) => email)).not.toContain('mallory@mail.example');
  });
});

describe.concurrent('a sign-in with a broken provider', () => {
  const kinds: Misbehaviour[] = ['silent', 'dripping', 'endless'];
  /** Sockets buffer some of what the shop does not read. */
  const maxBytesSent = 5_000_000;

  test.for(kinds)('fails while the discovery document is %s, and then works again', async (kind) => {
    await using google = await startFakeGoogle();
    await using shop = await startShop({ settings: google.settings });
    google.state.misbehaviour['/.well-known/openid-configuration'] = kind;
    const failed = await sendAuthRequest(shop, '/sign-in/social', begin);
    expect(failed.status).toBe(503);
    expect(google.state.bytesSent).toBeLessThan(maxBytesSent);
    google.state.misbehaviour = {};
    expect((await sendAuthRequest(shop, '/sign-in/social', begin)).status).toBe(200);
  });

  test.for(['/token', '/jwks'].flatMap((path) => kinds.map((kind) => [path, kind] as const)))(
    'fails if %s is %s, and the next one works',
    async ([path, kind]) => {
      await using google = await startFakeGoogle();
      await using shop = await startShop({ settings: google.settings });
      const signIn = async () => {
        const attempt = await startSignIn(shop);
        const id_token = google.signToken(google.claimsOf('1', ines, attempt.nonce));
        return returnFromGoogle(shop, google, attempt, { id_token });
      };
      await startSignIn(shop);
      google.state.misbehaviour[path] = kind;
      expect(await signIn()).toEqual({
        location: expect.stringMatching(/^\/login\?error=\w+$/),
        signedIn: false,
      });
      expect(google.state.bytesSent).toBeLessThan(maxBytesSent);
      google.state.misbehaviour = {};
      expect(await signIn()).toEqual({ location: '/blogs', signedIn: true });
    },
  );
});

// Otherwise another site that received a victim's token could use it to sign in here as the victim.
test('an id_token in a request body creates no session and links no account', async () => {
  await using google = await startFakeGoogle();
  await using shop = await startShop({ settings: google.settings });
  const attempt = await startSignIn(shop);
  const victim = google.claimsOf('victim', ines, attempt.nonce);
  const replayed = google.signToken(victim);
  await returnFromGoogle(shop, google, attempt, { id_token: replayed });
  google.state.userinfo = { sub: 'victim', email: ines, email_verified: true };
  const { email: _, ...withoutEmail } = google.claimsOf('attacker', 'mallory@mail.example', 'n');
  const mallory = await shop.signUp('Mallory');
  const accounts = await countAccounts(shop);
  for (const path of ['/sign-in/social', '/link-social']) {
    for (const idToken of [
      { token: google.signToken(withoutEmail), nonce: 'n', accessToken: 'of the victim' },
      { token: google.signToken(withoutEmail), accessToken: 'of the victim' },
      { token: replayed, nonce: attempt.nonce },
      { token: replayed },
    ]) {
      const person = path === '/link-social' ? cookieHeaders(mallory) : {};
      const response = await sendAuthRequest(shop, path, { ...begin, idToken }, person);
      expect(await response.json()).toMatchObject({ url: expect.stringContaining('/auth?'), redirect: true });
      expect(readSetCookies(response)).not.toContain('session_token');
    }
  }
  expect(await countAccounts(shop)).toBe(accounts);
  expect(google.state.requests).not.toContain('/userinfo');
});

test('only the return URLs of a request body reach Google or the callback', async () => {
  await using google = await startFakeGoogle();
  await using shop = await startShop({ settings: google.settings });
  const tom = await shop.signUp();
  const evil = {
    scopes: ['evil'],
    additionalParams: { hd: 'evil', claims: 'evil' },
    loginHint: 'evil',
    newUserCallbackURL: '/evil',
    requestSignUp: true,
    disableRedirect: true,
    additionalData: {
      link: { email: tom.email, userId: 'evil' },
      codeVerifier: 'evil',
      idTokenNonce: 'evil',
    },
  };
  for (const path of ['/sign-in/social', '/link-social']) {
    const { searchParams } = await startSignIn(shop, path, tom, { ...begin, ...evil });
    expect(searchParams.get('scope')).toBe('openid email profile');
    expect(searchParams.toString()).not.toContain('evil');
  }
  const { rows } = await sql<{ value: string }>`select value from verification`.execute(shop.database.db);
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toContain('evil');
});
