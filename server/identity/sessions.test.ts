import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { contract } from '../../contract/contract.ts';
import type { Person } from '../../tests/support/ask.ts';
import {
  ask,
  askIdentity,
  askPath,
  byCookie,
  byToken,
  cookieOf,
  readRefusal,
} from '../../tests/support/ask.ts';
import { engines } from '../../tests/support/database.ts';
import { startPostgres } from '../../tests/support/postgres.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';
import { listen } from '../../tests/support/statements.ts';
import { requireFreshSession } from './fresh-session.ts';
import { authSecret } from './secret.ts';
import { createViewerFinder } from './viewer.ts';

const tom = { name: 'Tom Graham', email: 'tom@example.com', password: 'anchor-escapement' };

/** Whether the shop knows who is asking, by a call that is for the signed-in alone. */
async function isKnown(shop: TestShop, email: string, headers: Record<string, string>): Promise<boolean> {
  const { status } = await ask(shop, 'isAdmin', { params: { email }, headers });
  expect([200, 401]).toContain(status);
  const session = await askIdentity(shop, '/get-session', undefined, headers);
  expect(session.status).toBe(200);
  // Both judges of a session, ours and Better Auth's, must be of one mind.
  expect((await session.json()) !== null).toBe(status === 200);
  return status === 200;
}

describe.each(engines)('on %s', (engine) => {
  test('the bearer token of PUT /user/{email} is the session itself', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    expect(await isKnown(shop, person.email, byToken(person))).toBe(true);
    expect(await isKnown(shop, person.email, { authorization: `bearer ${person.token}` })).toBe(true);
    const again = await ask(shop, 'saveUser', {
      params: { email: person.email },
      body: { email: person.email },
      headers: byToken(person),
    });
    const { token } = contract.saveUser.response.parse(await again.json());
    expect(token).toBe(person.token);

    await askIdentity(shop, '/sign-out', {}, byCookie(person));
    expect(await isKnown(shop, person.email, byToken(person))).toBe(false);
    expect(await isKnown(shop, person.email, byCookie(person))).toBe(false);
  });

  test('a request with an Authorization header is judged by that header alone', async () => {
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
      expect(await isKnown(shop, person.email, { authorization, cookie: person.cookie })).toBe(false);
    }
    const mixed = { ...byToken(ann), ...byCookie(person) };
    expect((await ask(shop, 'isAdmin', { params: { email: ann.email }, headers: mixed })).status).toBe(200);
    expect((await ask(shop, 'isAdmin', { params: { email: person.email }, headers: mixed })).status).toBe(
      403,
    );
    const session = await askIdentity(shop, '/get-session', undefined, mixed);
    expect(await session.json()).toMatchObject({ user: { email: ann.email } });
    // It ends the session of the header and leaves the cookie's alone.
    await askIdentity(shop, '/sign-out', {}, mixed);
    expect(await isKnown(shop, person.email, byCookie(person))).toBe(true);
    expect(await isKnown(shop, ann.email, byCookie(ann))).toBe(false);
  });

  test('a token with a forged, cut or missing signature is nobody', async () => {
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
      expect(await isKnown(shop, person.email, { authorization: `Bearer ${wrong}` })).toBe(false);
      const cookie = `shop.session_token=${encodeURIComponent(wrong)}`;
      expect(await isKnown(shop, person.email, { cookie })).toBe(false);
    }
    expect(await isKnown(shop, person.email, { cookie: `shop.session_token=${person.token}` })).toBe(true);
  });

  test('a session that has run out is nobody, by either way', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    await shop.database.db
      .updateTable('session')
      .set({ expiresAt: new Date(Date.now() - 1000) })
      .execute();
    const { email } = person;
    for (const headers of [byToken(person), byCookie(person)]) {
      expect((await ask(shop, 'isAdmin', { params: { email }, headers })).status).toBe(401);
      const session = await askIdentity(shop, '/get-session', undefined, headers);
      expect(await session.json()).toBeNull();
    }
  });

  test('sign-out ends this session and no other', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const elsewhere = await shop.signIn(person.email, person.password);
    // A browser sends it without a body as well.
    const out = await askPath(shop, 'POST', '/api/auth/sign-out', { headers: byCookie(person) });
    expect(out.status).toBe(200);
    expect(out.headers.getSetCookie().join()).toMatch(/shop\.session_token=;[^,]*Max-Age=0/i);
    expect(await isKnown(shop, person.email, byToken(person))).toBe(false);
    expect(await isKnown(shop, person.email, byCookie(elsewhere))).toBe(true);
  });

  test('a changed password ends the other sessions and keeps who changed it signed in', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const elsewhere = await shop.signIn(person.email, person.password);
    const change = (body: object) => askIdentity(shop, '/change-password', body, byCookie(person));
    const asked = { currentPassword: person.password, newPassword: 'verge-and-foliot' };

    for (const wrong of [
      { currentPassword: 'not-the-password' },
      { newPassword: 'ab-cd' },
      { newPassword: 'qwerty' },
      { newPassword: undefined },
    ]) {
      const response = await change({ ...asked, ...wrong });
      expect(response.status).toBe(400);
      await readRefusal(response);
    }
    expect((await askIdentity(shop, '/change-password', asked)).status).toBe(401);
    expect(await isKnown(shop, person.email, byCookie(elsewhere))).toBe(true);

    // Whatever the client says of the other sessions: they end.
    const changed = await change({ ...asked, revokeOtherSessions: false });
    expect(changed.status).toBe(200);
    expect(await isKnown(shop, person.email, byCookie(elsewhere))).toBe(false);
    expect(await isKnown(shop, person.email, byToken(elsewhere))).toBe(false);
    // As a browser goes on: with the cookie that the answer set, if it set one.
    const cookie = cookieOf(changed) || person.cookie;
    expect(await isKnown(shop, person.email, { cookie })).toBe(true);

    const signIn = (password: string) =>
      askIdentity(shop, '/sign-in/email', { email: person.email, password });
    expect((await signIn(person.password)).status).toBe(401);
    expect((await signIn('verge-and-foliot')).status).toBe(200);
  });

  test('a person lists and ends their own sessions and nobody else’s', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const second = await shop.signIn(person.email, person.password);
    const third = await shop.signIn(person.email, person.password);
    const ann = await shop.signUp('Ann');
    const list = async (who: Person): Promise<{ token: string }[]> => {
      const response = await askIdentity(shop, '/list-sessions', undefined, byCookie(who));
      expect(response.status).toBe(200);
      return response.json();
    };
    const tokenOf = (who: Person) => who.token.split('.')[0] ?? '';
    expect((await list(person)).map(({ token }) => token).sort()).toEqual(
      [person, second, third].map(tokenOf).sort(),
    );
    // What is listed is no way in: the signature is missing.
    expect(await isKnown(shop, person.email, { authorization: `Bearer ${tokenOf(person)}` })).toBe(false);

    await askIdentity(shop, '/revoke-session', { token: tokenOf(ann) }, byCookie(person));
    expect(await isKnown(shop, ann.email, byCookie(ann))).toBe(true);
    await askIdentity(shop, '/revoke-session', { token: tokenOf(second) }, byCookie(person));
    expect(await isKnown(shop, person.email, byToken(second))).toBe(false);
    expect(await isKnown(shop, person.email, byToken(third))).toBe(true);
    await askIdentity(shop, '/revoke-other-sessions', {}, byCookie(person));
    expect(await isKnown(shop, person.email, byToken(third))).toBe(false);
    expect(await isKnown(shop, person.email, byToken(person))).toBe(true);
    await askIdentity(shop, '/revoke-sessions', {}, byCookie(person));
    expect(await isKnown(shop, person.email, byToken(person))).toBe(false);
    expect(await isKnown(shop, ann.email, byToken(ann))).toBe(true);
    expect((await askIdentity(shop, '/list-sessions')).status).toBe(401);
  });
});

test('while the database is away nobody is told that they are signed out', async () => {
  const postgres = await startPostgres();
  await using shop = await startShop({ settings: { DATABASE_URL: postgres.url } });
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
    const response = await askIdentity(shop, path, body, byCookie(tom));
    expect([path, response.status]).toEqual([path, 503]);
    expect((await readRefusal(response)).code).toBe('UNAVAILABLE');
    expect(response.headers.getSetCookie()).toEqual([]);
  }
});

test('a fault within Better Auth is 503, and the log says so', async () => {
  await using shop = await startShop({ logsErrors: true });
  const person = await shop.signUp();
  await sql`create trigger kept before delete on session begin select raise(abort, 'kept'); end`.execute(
    shop.database.db,
  );
  const [token = ''] = person.token.split('.');
  const response = await askIdentity(shop, '/revoke-session', { token }, byCookie(person));
  expect(response.status).toBe(503);
  const errors = shop.logged.filter(({ level }) => level === 50);
  const requestId = response.headers.get('x-request-id');
  expect(errors).toMatchObject([{ identity: '/revoke-session', requestId }]);
});

test('who asks is looked for once', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  const ask = () => askIdentity(shop, '/list-sessions', undefined, byCookie(person));
  const { result, of } = await listen(ask);
  expect(result.status).toBe(200);
  // By the shop; then by Better Auth, which reads the session, the person and all their sessions.
  expect(of(shop.database.db)).toHaveLength(4);
});

test('a session that ended a moment ago is not fresh', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  const find = createViewerFinder({
    database: shop.database,
    secret: authSecret(shop.config),
    cookie: 'shop.session_token',
  });
  const viewer = await find(new Headers(byCookie(person)));
  expect(viewer).toBeDefined();
  await requireFreshSession(shop.database, viewer);
  await askIdentity(shop, '/sign-out', {}, byCookie(person));
  await expect(requireFreshSession(shop.database, viewer)).rejects.toMatchObject({ code: 'not_allowed' });
});

test('the session’s cookie is out of reach of scripts and of other sites', async () => {
  await using shop = await startShop();
  const made = await askIdentity(shop, '/sign-up/email', tom);
  const [cookie = '', ...more] = made.headers.getSetCookie();
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

test('over https every cookie is Secure and kept to this host', async () => {
  await using shop = await startShop({ settings: { PUBLIC_URL: 'https://shop.example' } });
  const made = await askIdentity(shop, '/sign-up/email', tom);
  // Behind a proxy that ends TLS the request itself says http.
  const plain = { ...shop, origin: 'http://shop.example' };
  const headers = { origin: 'https://shop.example' };
  const entered = await askIdentity(plain, '/sign-in/email', tom, headers);
  for (const response of [made, entered]) {
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
    expect(await isKnown(shop, tom.email, { cookie: cookieOf(response) })).toBe(true);
    const bare = cookieOf(response).replace('__Host-', '');
    expect(await isKnown(shop, tom.email, { cookie: bare })).toBe(false);
  }
});
