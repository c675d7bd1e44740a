import { expect, test } from 'vitest';
import type { Person } from '../support/ask.ts';
import { askIdentity, byCookie, byToken, cookieOf } from '../support/ask.ts';
import { startShop, type TestShop } from '../support/shop.ts';

/** Credentials in a form that the shop does not accept, but that a library with another parser might. */
const almost = ({ cookie, token }: Person): Record<string, string>[] => {
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

const changed = ({ password }: Person, currentPassword = password) => ({
  currentPassword,
  newPassword: 'verge-and-foliot',
});

async function endFreshness({ database }: TestShop): Promise<void> {
  const createdAt = new Date(Date.now() - 61 * 60 * 1000);
  await database.db.updateTable('session').set({ createdAt }).execute();
}

test('a session that the shop does not find does not exist for Better Auth either', async () => {
  await using shop = await startShop({ limits: { signInsForAddressAndEmail: 1 } });
  await shop.listen();
  const tom = await shop.signUp();
  const other = await shop.signIn(tom.email, tom.password);
  await endFreshness(shop);
  const from = shop.logged.length;
  for (const headers of almost(tom)) {
    const ask = async (path: string, body?: object) => {
      const response = await askIdentity(shop, path, body, headers);
      return [response.status, await response.json()];
    };
    const refused = [401, expect.objectContaining({ code: expect.any(String) })];
    expect([headers, await ask('/get-session')]).toEqual([headers, [200, null]]);
    expect([headers, await ask('/list-sessions')]).toEqual([headers, refused]);
    expect([headers, await ask('/revoke-sessions', {})]).toEqual([headers, refused]);
    expect([headers, await ask('/revoke-other-sessions', {})]).toEqual([headers, refused]);
    const link = { provider: 'google', callbackURL: '/' };
    expect([headers, await ask('/link-social', link)]).toEqual([headers, refused]);
    // Each would count as a guess, and only one is allowed.
    expect([headers, await ask('/change-password', changed(tom, 'wrong'))]).toEqual([headers, refused]);
    expect([headers, await ask('/sign-out', {})]).toEqual([headers, [200, expect.anything()]]);
  }
  expect(shop.logged.slice(from).filter((line) => 'person' in line)).toEqual([]);
  for (const person of [tom, other]) {
    const found = await askIdentity(shop, '/get-session', undefined, byCookie(person));
    expect(await found.json()).toMatchObject({ user: { email: tom.email } });
  }
});

test('with an Authorization header, every identity call ignores the cookie', async () => {
  await using shop = await startShop();
  const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
  const both = { ...byCookie(tom), ...byToken(ann) };
  const found = await askIdentity(shop, '/get-session', undefined, both);
  expect(await found.json()).toMatchObject({ user: { email: ann.email } });
  expect((await askIdentity(shop, '/change-password', changed(ann), both)).status).toBe(200);
  expect(await shop.signIn(ann.email, 'verge-and-foliot')).toHaveProperty('token');
  expect((await askIdentity(shop, '/sign-out', {}, { ...byCookie(tom), ...byToken(tom) })).status).toBe(200);
  const after = await askIdentity(shop, '/get-session', undefined, byCookie(tom));
  expect(await after.json()).toBeNull();
});

test('a session that ends with its browser still does so after the password is changed', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const { email, password } = tom;
  const entered = await askIdentity(shop, '/sign-in/email', { email, password, rememberMe: false });
  const cookie = cookieOf(entered);
  const response = await askIdentity(shop, '/change-password', changed(tom), { cookie });
  const session = response.headers.getSetCookie().find((line) => line.startsWith('shop.session_token='));
  expect(session).toMatch(/; HttpOnly/);
  expect(session).not.toMatch(/max-age/i);
});
