import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { contract } from '../../contract/contract.ts';
import { engines } from '../../tests/support/database.ts';
import { startPostgres } from '../../tests/support/postgres.ts';
import type { TestUser } from '../../tests/support/requests.ts';
import {
  cookieHeaders,
  readAuthError,
  readSetCookies,
  sendAuthRequest,
  sendCall,
  sendRequest,
  tokenHeaders,
} from '../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';
import { recordStatements } from '../../tests/support/statements.ts';
import { createViewerFinder } from './credentials.ts';
import { requireFreshSession } from './reauthenticate.ts';
import { authSecret } from './secret.ts';

const tom = { name: 'Tom Graham', email: 'tom@example.com', password: 'anchor-escapement' };

/** Whether a request with these headers is authenticated, both by the shop's own calls and by Better Auth. */
async function isSignedIn(shop: TestShop, email: string, headers: Record<string, string>): Promise<boolean> {
  const { status } = await sendCall(shop, 'isAdmin', { params: { email }, headers });
  expect([200, 401]).toContain(status);
  const session = await sendAuthRequest(shop, '/get-session', undefined, headers);
  expect(session.status).toBe(200);
  // Both must agree.
  expect((await session.json()) !== null).toBe(status === 200);
  return status === 200;
}

describe.concurrent.each(engines)('on %s', (engine) => {
  test('the bearer token from PUT /user/{email} is valid as long as the session', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    expect(await isSignedIn(shop, person.email, tokenHeaders(person))).toBe(true);
    expect(await isSignedIn(shop, person.email, { authorization: `bearer ${person.token}` })).toBe(true);
    const again = await sendCall(shop, 'saveUser', {
      params: { email: person.email },
      body: { email: person.email },
      headers: tokenHeaders(person),
    });
    const { token } = contract.saveUser.response.parse(await again.json());
    expect(token).toBe(person.token);

    await sendAuthRequest(shop, '/sign-out', {}, cookieHeaders(person));
    expect(await isSignedIn(shop, person.email, tokenHeaders(person))).toBe(false);
    expect(await isSignedIn(shop, person.email, cookieHeaders(person))).toBe(false);
  });

  test('a request with an Authorization header is authenticated by that header alone', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const ann = await shop.signUp('Ann');
    for (const authorization of [
      'Bearer wrong',
      'Bearer',
      '',
      'Basic dG9tOnRvbQ==',
      `Token ${person.token}`,
    ]) {
      expect(await isSignedIn(shop, person.email, { authorization, cookie: person.cookie })).toBe(false);
    }
    const mixed = { ...tokenHeaders(ann), ...cookieHeaders(person) };
    expect((await sendCall(shop, 'isAdmin', { params: { email: ann.email }, headers: mixed })).status).toBe(
      200,
    );
    expect(
      (await sendCall(shop, 'isAdmin', { params: { email: person.email }, headers: mixed })).status,
    ).toBe(403);
    const session = await sendAuthRequest(shop, '/get-session', undefined, mixed);
    expect(await session.json()).toMatchObject({ user: { email: ann.email } });
    // Signs out the header's session, not the cookie's.
    await sendAuthRequest(shop, '/sign-out', {}, mixed);
    expect(await isSignedIn(shop, person.email, cookieHeaders(person))).toBe(true);
    expect(await isSignedIn(shop, ann.email, cookieHeaders(ann))).toBe(false);
  });

  test('a token with a forged, truncated or missing signature is rejected', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const other = await shop.signUp('Ann');
    const [token = '', signature = ''] = person.token.split('.');
    const [, otherSignature = ''] = other.token.split('.');
    const forged = [
      token,
      `${token}.`,
      `.${signature}`,
      `${token}.${signature.slice(0, -1)}`,
      `${token}.${signature.slice(0, -4)}AAA=`,
      `${token}.${otherSignature}`,
      `${token}x.${signature}`,
      `${token}.${signature}x`,
      `${token.toLowerCase()}.${signature}`,
      `${token}.${'A'.repeat(43)}=`,
      '%',
      '%00',
      `${'a'.repeat(5000)}.${signature}`,
    ];
    for (const wrong of forged) {
      expect(await isSignedIn(shop, person.email, { authorization: `Bearer ${wrong}` })).toBe(false);
      const cookie = `shop.session_token=${encodeURIComponent(wrong)}`;
      expect(await isSignedIn(shop, person.email, { cookie })).toBe(false);
    }
    expect(await isSignedIn(shop, person.email, { cookie: `shop.session_token=${person.token}` })).toBe(true);
  });

  test('an expired session is rejected as a cookie and as a bearer token', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    await shop.database.db
      .updateTable('session')
      .set({ expiresAt: new Date(Date.now() - 1000) })
      .execute();
    const { email } = person;
    for (const headers of [tokenHeaders(person), cookieHeaders(person)]) {
      expect((await sendCall(shop, 'isAdmin', { params: { email }, headers })).status).toBe(401);
      const session = await sendAuthRequest(shop, '/get-session', undefined, headers);
      expect(await session.json()).toBeNull();
    }
  });

  test('sign-out ends only its own session', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const elsewhere = await shop.signIn(person.email, person.password);
    // Browsers may send this request without a body.
    const response = await sendRequest(shop, 'POST', '/api/auth/sign-out', {
      headers: cookieHeaders(person),
    });
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie().join()).toMatch(/shop\.session_token=;[^,]*Max-Age=0/i);
    expect(await isSignedIn(shop, person.email, tokenHeaders(person))).toBe(false);
    expect(await isSignedIn(shop, person.email, cookieHeaders(elsewhere))).toBe(true);
  });

  test('changing the password ends only the other sessions', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const elsewhere = await shop.signIn(person.email, person.password);
    const change = (body: object) => sendAuthRequest(shop, '/change-password', body, cookieHeaders(person));
    const form = { currentPassword: person.password, newPassword: 'verge-and-foliot' };

    for (const wrong of [
      { currentPassword: 'not-the-password' },
      { newPassword: 'ab-cd' },
      { newPassword: 'qwerty' },
      { newPassword: undefined },
    ]) {
      const response = await change({ ...form, ...wrong });
      expect(response.status).toBe(400);
      await readAuthError(response);
    }
    expect((await sendAuthRequest(shop, '/change-password', form)).status).toBe(401);
    expect(await isSignedIn(shop, person.email, cookieHeaders(elsewhere))).toBe(true);

    // The other sessions end even if the client asks to keep them.
    const changed = await change({ ...form, revokeOtherSessions: false });
    expect(changed.status).toBe(200);
    expect(await isSignedIn(shop, person.email, cookieHeaders(elsewhere))).toBe(false);
    expect(await isSignedIn(shop, person.email, tokenHeaders(elsewhere))).toBe(false);
    // A browser continues with the cookie from the response, if there is one.
    const cookie = readSetCookies(changed) || person.cookie;
    expect(await isSignedIn(shop, person.email, { cookie })).toBe(true);

    const signIn = (password: string) =>
      sendAuthRequest(shop, '/sign-in/email', { email: person.email, password });
    expect((await signIn(person.password)).status).toBe(401);
    expect((await signIn('verge-and-foliot')).status).toBe(200);
  });

  test('a user can list and end only their own sessions', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const second = await shop.signIn(person.email, person.password);
    const third = await shop.signIn(person.email, person.password);
    const ann = await shop.signUp('Ann');
    const list = async (user: TestUser): Promise<{ token: string }[]> => {
      const response = await sendAuthRequest(shop, '/list-sessions', undefined, cookieHeaders(user));
      expect(response.status).toBe(200);
      return response.json();
    };
    const tokenOf = (user: TestUser) => user.token.split('.')[0] ?? '';
    expect((await list(person)).map(({ token }) => token).sort()).toEqual(
      [person, second, third].map(tokenOf).sort(),
    );
    // The listed tokens have no signature, so nobody can sign in with them.
    expect(await isSignedIn(shop, person.email, { authorization: `Bearer ${tokenOf(person)}` })).toBe(false);

    await sendAuthRequest(shop, '/revoke-session', { token: tokenOf(ann) }, cookieHeaders(person));
    expect(await isSignedIn(shop, ann.email, cookieHeaders(ann))).toBe(true);
    await sendAuthRequest(shop, '/revoke-session', { token: tokenOf(second) }, cookieHeaders(person));
    expect(await isSignedIn(shop, person.email, tokenHeaders(second))).toBe(false);
    expect(await isSignedIn(shop, person.email, tokenHeaders(third))).toBe(true);
    await sendAuthRequest(shop, '/revoke-other-sessions', {}, cookieHeaders(person));
    expect(await isSignedIn(shop, person.email, tokenHeaders(third))).toBe(false);
    expect(await isSignedIn(shop, person.email, tokenHeaders(person))).toBe(true);
    await sendAuthRequest(shop, '/revoke-sessions', {}, cookieHeaders(person));
    expect(await isSignedIn(shop, person.email, tokenHeaders(person))).toBe(false);
    expect(await isSignedIn(shop, ann.email, tokenHeaders(ann))).toBe(true);
    expect((await sendAuthRequest(shop, '/list-sessions')).status).toBe(401);
  });
});

test('while the database is unavailable, identity calls respond with 503 and set no cookies', async () => {
  const postgres = await startPostgres();
  // The periodic work may run at that moment, and logs an error.
  await using shop = await startShop({ settings: { DATABASE_URL: postgres.url }, allowErrorLogs: true });
  const tom = await shop.signUp();
  await postgres.stop();
  for (const [path, body] of [
    ['/get-session', undefined],
    ['/sign-out', {}],
    ['/change-password', { currentPassword: tom.password, newPassword: 'verge-and-foliot' }],
    ['/list-sessions', undefined],
    ['/sign-in/email', tom],
    ['/sign-up/email', tom],
  ] as const) {
    const response = await sendAuthRequest(shop, path, body, cookieHeaders(tom));
    expect([path, response.status]).toEqual([path, 503]);
    expect((await readAuthError(response)).code).toBe('UNAVAILABLE');
    expect(response.headers.getSetCookie()).toEqual([]);
  }
});

test('an error within Better Auth is a 503 and is logged', async () => {
  await using shop = await startShop({ allowErrorLogs: true });
  const person = await shop.signUp();
  await sql`create trigger fail before delete on session begin select raise(abort, 'failed'); end`.execute(
    shop.database.db,
  );
  const [token = ''] = person.token.split('.');
  const response = await sendAuthRequest(shop, '/revoke-session', { token }, cookieHeaders(person));
  expect(response.status).toBe(503);
  const errors = shop.logged.filter(({ level }) => level === 50);
  const requestId = response.headers.get('x-request-id');
  expect(errors).toMatchObject([{ identity: '/revoke-session', requestId }]);
});

test('the shop looks up the session once per call', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  const listSessions = () => sendAuthRequest(shop, '/list-sessions', undefined, cookieHeaders(person));
  const { result, statementsOf: of } = await recordStatements(listSessions);
  expect(result.status).toBe(200);
  // The shop executes one statement. Better Auth executes three: it reads the session, the user and all the user's sessions.
  expect(of(shop.database.db)).toHaveLength(4);
});

test('a session that has ended is not fresh', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  const find = createViewerFinder({
    database: shop.database,
    secret: authSecret(shop.config),
    config: shop.config,
  });
  const viewer = await find(new Headers(cookieHeaders(person)));
  expect(viewer).toBeDefined();
  await requireFreshSession(shop.database, viewer);
  await sendAuthRequest(shop, '/sign-out', {}, cookieHeaders(person));
  await expect(requireFreshSession(shop.database, viewer)).rejects.toMatchObject({ code: 'not_allowed' });
});

test('the session cookie is HttpOnly and SameSite=Lax, and lasts 30 days', async () => {
  await using shop = await startShop();
  const response = await sendAuthRequest(shop, '/sign-up/email', tom);
  const [cookie = '', ...more] = response.headers.getSetCookie();
  expect(more).toEqual([]);
  const [value, ...attributes] = cookie.split('; ');
  expect(value).toMatch(/^shop\.session_token=/);
  expect(attributes.map((attribute) => attribute.toLowerCase()).sort()).toEqual([
    'httponly',
    `max-age=${30 * 24 * 60 * 60}`,
    'path=/',
    'samesite=lax',
  ]);
});

test('over https the session cookie is Secure and has the __Host- prefix', async () => {
  await using shop = await startShop({ settings: { PUBLIC_URL: 'https://shop.example' } });
  const signedUp = await sendAuthRequest(shop, '/sign-up/email', tom);
  // Behind a proxy that terminates TLS, the request's own URL is http.
  const plain = { ...shop, origin: 'http://shop.example' };
  const headers = { origin: 'https://shop.example' };
  const signedIn = await sendAuthRequest(plain, '/sign-in/email', tom, headers);
  for (const response of [signedUp, signedIn]) {
    expect(response.status).toBe(200);
    const cookies = response.headers.getSetCookie();
    expect(cookies).toHaveLength(1);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^__Host-shop\.session_token=/);
      expect(cookie).toMatch(/; Secure/i);
      expect(cookie).toMatch(/; HttpOnly/i);
      expect(cookie).toMatch(/; SameSite=Lax/i);
      expect(cookie).toMatch(/; Path=\/(;|$)/i);
      expect(cookie).not.toMatch(/; Domain/i);
    }
    expect(await isSignedIn(shop, tom.email, { cookie: readSetCookies(response) })).toBe(true);
    const unprefixed = readSetCookies(response).replace('__Host-', '');
    expect(await isSignedIn(shop, tom.email, { cookie: unprefixed })).toBe(false);
  }
});
