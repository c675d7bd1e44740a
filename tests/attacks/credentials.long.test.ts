import { expect, test } from 'vitest';
import type { TestUser } from '../support/requests.ts';
import { cookieHeaders, readSetCookies, sendAuthRequest, tokenHeaders } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';

/** Malformed credentials that the shop rejects but a library with another parser might accept. */
const malformCredentials = ({ cookie, token }: TestUser): Record<string, string>[] => {
  const [name = '', value = ''] = cookie.split(/=(.*)/);
  return [
    { cookie: `${name}="${value}"` },
    { cookie: `${name}="${decodeURIComponent(value)}"` },
    { cookie: `${name}=${value}x; ${cookie}` },
    { cookie: `${name}\u00a0=${value}` },
    { cookie: `a=b;\u00a0${name}=${value}` },
    { cookie: `other="a; ${name}="${value}"` },
    { authorization: `Bearer \u00a0${token}` },
    { authorization: `Bearer ${token}\u00a0` },
    { authorization: `Bearer \u00a0${encodeURIComponent(token)}` },
    { authorization: `Bearer\u00a0${token}` },
    { authorization: `Bearer ${token.split('.')[0]}` },
    { authorization: 'Bearer x', cookie },
    { authorization: '', cookie },
  ];
};

const passwordForm = ({ password }: TestUser, currentPassword = password) => ({
  currentPassword,
  newPassword: 'verge-and-foliot',
});

async function makeSessionsStale({ database }: TestShop): Promise<void> {
  const createdAt = new Date(Date.now() - 61 * 60 * 1000);
  await database.db.updateTable('session').set({ createdAt }).execute();
}

test('Better Auth accepts no session that the shop rejects', async () => {
  await using shop = await startShop({ rateLimits: { signInsPerAddressAndEmail: 1 } });
  await shop.listen();
  const tom = await shop.signUp();
  const other = await shop.signIn(tom.email, tom.password);
  await makeSessionsStale(shop);
  const from = shop.logged.length;
  for (const headers of malformCredentials(tom)) {
    const request = async (path: string, body?: object) => {
      const response = await sendAuthRequest(shop, path, body, headers);
      return [response.status, await response.json()];
    };
    const rejected = [401, expect.objectContaining({ code: expect.any(String) })];
    expect([headers, await request('/get-session')]).toEqual([headers, [200, null]]);
    expect([headers, await request('/list-sessions')]).toEqual([headers, rejected]);
    expect([headers, await request('/revoke-sessions', {})]).toEqual([headers, rejected]);
    expect([headers, await request('/revoke-other-sessions', {})]).toEqual([headers, rejected]);
    const link = { provider: 'google', callbackURL: '/' };
    expect([headers, await request('/link-social', link)]).toEqual([headers, rejected]);
    // If the session were accepted, each wrong password would count as a failed sign-in, and only one is allowed.
    expect([headers, await request('/change-password', passwordForm(tom, 'wrong'))]).toEqual([
      headers,
      rejected,
    ]);
    expect([headers, await request('/sign-out', {})]).toEqual([headers, [200, expect.anything()]]);
  }
  expect(shop.logged.slice(from).filter((line) => 'person' in line)).toEqual([]);
  for (const person of [tom, other]) {
    const response = await sendAuthRequest(shop, '/get-session', undefined, cookieHeaders(person));
    expect(await response.json()).toMatchObject({ user: { email: tom.email } });
  }
});

test('every identity call ignores the cookie if there is an Authorization header', async () => {
  await using shop = await startShop();
  const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
  const both = { ...cookieHeaders(tom), ...tokenHeaders(ann) };
  const response = await sendAuthRequest(shop, '/get-session', undefined, both);
  expect(await response.json()).toMatchObject({ user: { email: ann.email } });
  expect((await sendAuthRequest(shop, '/change-password', passwordForm(ann), both)).status).toBe(200);
  expect(await shop.signIn(ann.email, 'verge-and-foliot')).toHaveProperty('token');
  expect(
    (await sendAuthRequest(shop, '/sign-out', {}, { ...cookieHeaders(tom), ...tokenHeaders(tom) })).status,
  ).toBe(200);
  const after = await sendAuthRequest(shop, '/get-session', undefined, cookieHeaders(tom));
  expect(await after.json()).toBeNull();
});

test('a session cookie without Max-Age still has none after a password change', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const { email, password } = tom;
  const signedIn = await sendAuthRequest(shop, '/sign-in/email', { email, password, rememberMe: false });
  const cookie = readSetCookies(signedIn);
  const response = await sendAuthRequest(shop, '/change-password', passwordForm(tom), { cookie });
  const session = response.headers.getSetCookie().find((line) => line.startsWith('shop.session_token='));
  expect(session).toMatch(/; HttpOnly/);
  expect(session).not.toMatch(/max-age/i);
});
