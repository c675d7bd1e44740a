import { describe, expect, test } from 'vitest';
import { contract } from '../../contract/contract.ts';
import { ask, askIdentity, askPath, byCookie, byToken, cookieOf } from '../../tests/support/ask.ts';
import { engines } from '../../tests/support/database.ts';
import type { Person } from '../../tests/support/people.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';

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

/** A refusal on Better Auth's paths has a code for programs and a message that the forms show. */
async function readRefusal(response: Response): Promise<{ code: string; message: string }> {
  const answer = await response.json();
  expect(answer).toEqual({ code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringMatching(/\S/) });
  return answer;
}

async function countPeople(shop: TestShop): Promise<number> {
  return (await shop.database.db.selectFrom('user').select('id').execute()).length;
}

describe.each(engines)('on %s', (engine) => {
  test('an e-mail is one person in any spelling of its case', async () => {
    await using shop = await startShop({ engine });
    const made = await askIdentity(shop, '/sign-up/email', { ...tom, email: 'Tom@Example.COM' });
    expect(made.status).toBe(200);
    expect(await made.json()).toMatchObject({ user: { email: 'tom@example.com', name: 'Tom Graham' } });
    const again = await askIdentity(shop, '/sign-up/email', tom);
    expect(again.status).toBe(422);
    expect((await readRefusal(again)).message).toMatch(/already exists/);

    const entered = await askIdentity(shop, '/sign-in/email', { ...tom, email: 'TOM@example.com' });
    expect(entered.status).toBe(200);
    const saved = await ask(shop, 'saveUser', {
      params: { email: 'ToM@example.com' },
      body: { email: 'TOM@EXAMPLE.COM' },
      headers: { cookie: cookieOf(entered) },
    });
    expect(saved.status).toBe(200);
  });

  test('a wrong password and an unknown address are refused in the same words', async () => {
    await using shop = await startShop({ engine });
    await askIdentity(shop, '/sign-up/email', tom);
    const wrong = await askIdentity(shop, '/sign-in/email', { ...tom, password: 'not-the-password' });
    const unknown = await askIdentity(shop, '/sign-in/email', { ...tom, email: 'ann@example.com' });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    const said = await readRefusal(wrong);
    expect(said.message).toBe('Invalid email or password');
    expect(await readRefusal(unknown)).toEqual(said);
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });

  test('a sign-up that is not right is refused with a message, and nobody is made', async () => {
    await using shop = await startShop({ engine });
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ name: undefined }, /^Name is Required$/],
      [{ name: '' }, /Name is Required/],
      [{ name: '   ' }, /Name is Required/],
      [{ name: 7 }, /^Name must be text$/],
      [{ name: 'a'.repeat(101) }, /Name must be 100 characters or shorter/],
      [{ name: 'Tom\0' }, /./],
      [{ name: 'Tom\u001b[2J' }, /printed/],
      [{ email: undefined }, /^Email is Required$/],
      [{ email: 'tom' }, /Provide a valid Email/],
      [{ email: 'tom@example' }, /Provide a valid Email/],
      [{ email: 'to m@example.com' }, /Provide a valid Email/],
      [{ email: 'to\0m@example.com' }, /./],
      [{ email: `${'a'.repeat(300)}@example.com` }, /email/i],
      [{ email: ['tom@example.com'] }, /^Email must be text$/],
      [{ password: undefined }, /^Password is Required$/],
      [{ password: '' }, /^Password is Required$/],
      [{ password: 'ab-cd' }, /short/i],
      [{ password: 'a'.repeat(129) }, /long/i],
      [{ password: '123456' }, /commonest/],
      [{ password: 'PassWord1' }, /commonest/],
    ];
    for (const [change, message] of wrong) {
      const response = await askIdentity(shop, '/sign-up/email', { ...tom, ...change });
      expect([response.status, change]).toEqual([400, change]);
      expect((await readRefusal(response)).message).toMatch(message);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    expect(await countPeople(shop)).toBe(0);
    const least = { ...tom, name: 'a'.repeat(100), password: 'ab-cde' };
    expect((await askIdentity(shop, '/sign-up/email', least)).status).toBe(200);
  });

  test('what a sign-up may not decide is ignored without an error', async () => {
    await using shop = await startShop({ engine });
    const more = {
      role: 'admin',
      id: 'mine',
      _id: 'mine',
      emailVerified: true,
      address: 'Somewhere',
      createdAt: '2001-01-01T00:00:00Z',
      image: 'https://elsewhere.example/a.png',
    };
    const made = await askIdentity(shop, '/sign-up/email', { ...tom, ...more });
    expect([made.status, await made.json()]).toMatchObject([200, { user: { emailVerified: false } }]);
    const row = await shop.database.db.selectFrom('user').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ role: null, address: '', image: null });
    expect(row.id).not.toBe('mine');
    expect(new Date(row.createdAt).getFullYear()).toBeGreaterThan(2001);
    expect(Number(row.emailVerified)).toBe(0);
  });

  test('of two sign-ups with one address at the same moment one person comes', async () => {
    await using shop = await startShop({ engine });
    const both = await Promise.all([1, 2, 3].map(() => askIdentity(shop, '/sign-up/email', tom)));
    const statuses = both.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 422, 422]);
    expect(await countPeople(shop)).toBe(1);
  });

  test('a body that cannot be read is refused and never a fault of the shop', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const send = (path: string, body: string, type: string) =>
      askPath(shop, 'POST', `/api/auth${path}`, {
        body,
        headers: { 'content-type': type, cookie: person.cookie },
      });
    for (const path of ['/sign-in/email', '/sign-up/email', '/change-password', '/revoke-session']) {
      const form = 'email=tom%40example.com&password=anchor-escapement&name=Tom';
      expect((await send(path, form, 'application/x-www-form-urlencoded')).status).toBe(415);
      expect((await send(path, JSON.stringify(tom), 'text/plain')).status).toBe(415);
      expect((await send(path, '{"email":', 'application/json')).status).toBe(400);
      expect((await send(path, '[]', 'application/json')).status).toBe(400);
      expect((await send(path, 'null', 'application/json')).status).toBe(400);
      const large = await send(
        path,
        JSON.stringify({ ...tom, more: 'a'.repeat(100_000) }),
        'application/json',
      );
      expect(large.status).toBe(413);
      expect((await readRefusal(large)).code).toBe('TOO_LARGE');
    }
    const nul = { email: 'a\0b@example.com', password: 'a\0b-cdefg' };
    expect((await askIdentity(shop, '/sign-in/email', nul)).status).toBe(400);
    const revoked = await askIdentity(shop, '/revoke-session', { token: 'a\0b' }, byCookie(person));
    expect(revoked.status).toBe(400);
    expect((await askIdentity(shop, '/callback/google?code=a&state=%00')).status).toBe(400);
  });

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
    const { token } = contract.saveUser.answer.parse(await again.json());
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

test('only the decided calls of Better Auth are there', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  const mounted = {
    '/sign-up/email': 'POST',
    '/sign-in/email': 'POST',
    '/sign-in/social': 'POST',
    '/callback/google': 'GET',
    '/sign-out': 'POST',
    '/get-session': 'GET',
    '/change-password': 'POST',
    '/list-sessions': 'GET',
    '/revoke-session': 'POST',
    '/revoke-sessions': 'POST',
    '/revoke-other-sessions': 'POST',
  };
  for (const [path, method] of Object.entries(mounted)) {
    for (const wrong of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((name) => name !== method)) {
      const response = await askPath(shop, wrong, `/api/auth${path}`, { headers: byCookie(person) });
      expect([wrong, path, response.status]).toEqual([wrong, path, 405]);
      expect(response.headers.get('allow')).toBe(method);
      await readRefusal(response);
    }
  }
  const others = [
    ...['/update-user', '/delete-user', '/change-email', '/set-password', '/update-session', '/ok', '/error'],
    ...['/request-password-reset', '/reset-password', '/verify-email', '/send-verification-email'],
    ...['/list-accounts', '/unlink-account', '/account-info', '/refresh-token', '/get-access-token'],
    ...['/verify-password', '/oauth2/link', '/oauth2/callback/google', '/callback/github', '/callback'],
    ...['/sign-in/email/', '//sign-in/email', '/SIGN-IN/email', '/sign-in%2Femail', '/constructor', '/'],
  ];
  for (const path of others) {
    for (const method of ['GET', 'POST']) {
      const response = await askPath(shop, method, `/api/auth${path}`, {
        ...(method === 'POST' ? { body: {} } : {}),
        headers: byCookie(person),
      });
      expect([method, path, response.status]).toEqual([method, path, 404]);
    }
  }
});
