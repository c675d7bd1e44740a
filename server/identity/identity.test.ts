import { describe, expect, test } from 'vitest';
import { engines } from '../../tests/support/database.ts';
import {
  cookieHeaders,
  readAuthError,
  readSetCookies,
  sendAuthRequest,
  sendCall,
  sendRequest,
} from '../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';

const tom = { name: 'Tom Graham', email: 'tom@example.com', password: 'anchor-escapement' };

async function countUsers(shop: TestShop): Promise<number> {
  return (await shop.database.db.selectFrom('user').select('id').execute()).length;
}

describe.each(engines)('on %s', (engine) => {
  test('email addresses are case-insensitive', async () => {
    await using shop = await startShop({ engine });
    const signedUp = await sendAuthRequest(shop, '/sign-up/email', { ...tom, email: 'Tom@Example.COM' });
    expect(signedUp.status).toBe(200);
    expect(await signedUp.json()).toMatchObject({ user: { email: 'tom@example.com', name: 'Tom Graham' } });
    const duplicate = await sendAuthRequest(shop, '/sign-up/email', tom);
    expect(duplicate.status).toBe(422);
    expect((await readAuthError(duplicate)).message).toMatch(/already exists/);

    const signedIn = await sendAuthRequest(shop, '/sign-in/email', { ...tom, email: 'TOM@example.com' });
    expect(signedIn.status).toBe(200);
    const saved = await sendCall(shop, 'saveUser', {
      params: { email: 'ToM@example.com' },
      body: { email: 'TOM@EXAMPLE.COM' },
      headers: { cookie: readSetCookies(signedIn) },
    });
    expect(saved.status).toBe(200);
  });

  test('a wrong password and an unknown address get the same message', async () => {
    await using shop = await startShop({ engine });
    await sendAuthRequest(shop, '/sign-up/email', tom);
    const wrong = await sendAuthRequest(shop, '/sign-in/email', { ...tom, password: 'not-the-password' });
    const unknown = await sendAuthRequest(shop, '/sign-in/email', { ...tom, email: 'ann@example.com' });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    const refusal = await readAuthError(wrong);
    expect(refusal.message).toBe('Invalid email or password');
    expect(await readAuthError(unknown)).toEqual(refusal);
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });

  test('an invalid sign-up is rejected with a message and creates no user', async () => {
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
      [{ password: '123456' }, /guessed/],
      [{ password: 'PassWord1' }, /guessed/],
    ];
    for (const [change, message] of wrong) {
      const response = await sendAuthRequest(shop, '/sign-up/email', { ...tom, ...change });
      expect([response.status, change]).toEqual([400, change]);
      expect((await readAuthError(response)).message).toMatch(message);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    expect(await countUsers(shop)).toBe(0);
    const longest = { ...tom, name: 'a'.repeat(100), password: 'ab-cde' };
    expect((await sendAuthRequest(shop, '/sign-up/email', longest)).status).toBe(200);
  });

  test('a sign-up ignores fields that it may not set', async () => {
    await using shop = await startShop({ engine });
    const extra = {
      role: 'admin',
      id: 'mine',
      _id: 'mine',
      emailVerified: true,
      address: 'Somewhere',
      createdAt: '2001-01-01T00:00:00Z',
      image: 'https://elsewhere.example/a.png',
    };
    const response = await sendAuthRequest(shop, '/sign-up/email', { ...tom, ...extra });
    expect([response.status, await response.json()]).toMatchObject([200, { user: { emailVerified: false } }]);
    const row = await shop.database.db.selectFrom('user').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ role: null, address: '', image: null });
    expect(row.id).not.toBe('mine');
    expect(new Date(row.createdAt).getFullYear()).toBeGreaterThan(2001);
    expect(Number(row.emailVerified)).toBe(0);
  });

  test('simultaneous sign-ups with one address create one user', async () => {
    await using shop = await startShop({ engine });
    const responses = await Promise.all([1, 2, 3].map(() => sendAuthRequest(shop, '/sign-up/email', tom)));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 422, 422]);
    expect(await countUsers(shop)).toBe(1);
  });

  test('an unreadable body is a 4xx', async () => {
    await using shop = await startShop({ engine });
    const person = await shop.signUp();
    const send = (path: string, body: string, type: string) =>
      sendRequest(shop, 'POST', `/api/auth${path}`, {
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
      expect((await readAuthError(large)).code).toBe('TOO_LARGE');
    }
    const nul = { email: 'a\0b@example.com', password: 'a\0b-cdefg' };
    expect((await sendAuthRequest(shop, '/sign-in/email', nul)).status).toBe(400);
    const revoked = await sendAuthRequest(shop, '/revoke-session', { token: 'a\0b' }, cookieHeaders(person));
    expect(revoked.status).toBe(400);
    expect((await sendAuthRequest(shop, '/callback/google?code=a&state=%00')).status).toBe(400);
  });
});

test('only the listed calls of Better Auth are mounted', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  const mounted = {
    '/sign-up/email': 'POST',
    '/sign-in/email': 'POST',
    '/sign-in/social': 'POST',
    '/link-social': 'POST',
    '/callback/google': 'GET',
    '/sign-out': 'POST',
    '/get-session': 'GET',
    '/change-password': 'POST',
    '/request-password-reset': 'POST',
    '/reset-password': 'POST',
    '/send-verification-email': 'POST',
    '/verify-email': 'POST',
    '/list-sessions': 'GET',
    '/revoke-session': 'POST',
    '/revoke-sessions': 'POST',
    '/revoke-other-sessions': 'POST',
    '/two-factor/enable': 'POST',
    '/two-factor/disable': 'POST',
    '/two-factor/generate-backup-codes': 'POST',
    '/two-factor/verify-totp': 'POST',
    '/two-factor/verify-backup-code': 'POST',
  };
  for (const [path, method] of Object.entries(mounted)) {
    for (const wrong of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((name) => name !== method)) {
      const response = await sendRequest(shop, wrong, `/api/auth${path}`, { headers: cookieHeaders(person) });
      expect([wrong, path, response.status]).toEqual([wrong, path, 405]);
      expect(response.headers.get('allow')).toBe(method);
      await readAuthError(response);
    }
  }
  const others = [
    '/update-user',
    '/delete-user',
    '/change-email',
    '/set-password',
    '/update-session',
    '/ok',
    '/error',
    '/reset-password/token',
    '/list-accounts',
    '/unlink-account',
    '/account-info',
    '/refresh-token',
    '/get-access-token',
    '/verify-password',
    '/oauth2/link',
    '/oauth2/callback/google',
    '/callback/github',
    '/callback',
    '/two-factor/get-totp-uri',
    '/two-factor/send-otp',
    '/two-factor/verify-otp',
    '/totp/generate',
    '/sign-in/email/',
    '//sign-in/email',
    '/SIGN-IN/email',
    '/sign-in%2Femail',
    '/constructor',
    '/',
  ];
  for (const path of others) {
    for (const method of ['GET', 'POST']) {
      const response = await sendRequest(shop, method, `/api/auth${path}`, {
        ...(method === 'POST' ? { body: {} } : {}),
        headers: cookieHeaders(person),
      });
      expect([method, path, response.status]).toEqual([method, path, 404]);
    }
  }
});
