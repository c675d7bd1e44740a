import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import {
  cookieHeaders,
  readAuthError,
  readSetCookies,
  sendAuthRequest,
  type TestUser,
} from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { interruptAfter } from '../../../tests/support/statements.ts';
import { issueToken } from './tokens.ts';

const newPassword = 'verge-and-foliot';
const readsHash = /^select .* from "account"/;

const change = (shop: TestShop, person: TestUser, password: string) =>
  sendAuthRequest(
    shop,
    '/change-password',
    { currentPassword: person.password, newPassword: password },
    cookieHeaders(person),
  );

async function readState({ database: { db } }: TestShop) {
  const { password } = await db.selectFrom('account').select('password').executeTakeFirstOrThrow();
  const sessions = await db.selectFrom('session').selectAll().execute();
  const mails = await db.selectFrom('mail').select('id').where('kind', '=', 'password changed').execute();
  return { password, sessions, mails: mails.length };
}

describe.each(engines)('on %s', (engine) => {
  test("a change in flight with the old password does not overwrite a reset's password", async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    let afterReset: unknown;
    interruptAfter(shop.database.db, readsHash, async () => {
      const token = await issueToken(shop.database, 'reset password', tom.email);
      expect((await sendAuthRequest(shop, '/reset-password', { token, newPassword })).status).toBe(200);
      afterReset = await readState(shop);
    });
    const response = await change(shop, tom, 'anchor-escapement');
    expect([response.status, response.headers.getSetCookie()]).toEqual([401, []]);
    await readAuthError(response);
    expect(await readState(shop)).toEqual(afterReset);
    expect(afterReset).toMatchObject({ sessions: [], mails: 1 });
    expect(await shop.signIn(tom.email, newPassword)).toHaveProperty('token');
  });

  test('of two changes at once in one session, the second gets a clear error', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    let afterFirst: unknown;
    let cookie = '';
    interruptAfter(shop.database.db, readsHash, async () => {
      const first = await change(shop, tom, newPassword);
      expect(first.status).toBe(200);
      cookie = readSetCookies(first);
      afterFirst = await readState(shop);
    });
    const response = await change(shop, tom, 'anchor-escapement');
    expect([response.status, response.headers.getSetCookie()]).toEqual([400, []]);
    expect((await readAuthError(response)).code).toBe('INVALID_PASSWORD');
    expect(await readState(shop)).toEqual(afterFirst);
    expect(afterFirst).toMatchObject({ mails: 1 });
    const session = await sendAuthRequest(shop, '/get-session', undefined, { cookie });
    expect((await session.json())?.user.email).toBe(tom.email);
    const former = await sendAuthRequest(shop, '/get-session', undefined, cookieHeaders(tom));
    expect(await former.json()).toBeNull();
  });
});
