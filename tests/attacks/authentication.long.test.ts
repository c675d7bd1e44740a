import { expect, test } from 'vitest';
import { describeAccount, setPassword } from '../../server/identity/accounts.ts';
import { engines } from '../support/database.ts';
import type { TestUser } from '../support/requests.ts';
import {
  cookieHeaders,
  readAuthError,
  readSetCookies,
  sendAuthRequest,
  sendCall,
  sendRequest,
  tokenHeaders,
} from '../support/requests.ts';
import { startShop } from '../support/shop.ts';

// The commands make-admin and reset-password set a new password, because an attacker may have created the account beforehand.
test.each(engines)('a password set by the shopkeeper is the only way to sign in, on %s', async (engine) => {
  await using shop = await startShop({ engine });
  const person = await shop.signUp();
  const { id } = (await describeAccount(shop.database, person.email)) ?? expect.unreachable();
  const now = new Date();
  await shop.database.db
    .insertInto('account')
    .values({
      id: 'linked',
      accountId: '1',
      providerId: 'google',
      userId: id,
      createdAt: now,
      updatedAt: now,
    })
    .execute();
  await setPassword(shop.database, id, 'issued-password');
  const after = await describeAccount(shop.database, person.email);
  expect(after?.description).toContain('signs in with a password.');
  await expect(shop.signIn(person.email, person.password)).rejects.toThrow('401');
  expect(await shop.signIn(person.email, 'issued-password')).toHaveProperty('token');
});

test('a stolen session does not allow unlimited guesses at the password', async () => {
  await using shop = await startShop({ rateLimits: { signInsPerAddressAndEmail: 3 } });
  const person = await shop.signUp();
  const change = async (currentPassword: string, headers: Record<string, string>) => {
    const form = { currentPassword, newPassword: 'verge-and-foliot' };
    return (await sendAuthRequest(shop, '/change-password', form, headers)).status;
  };
  expect(await change('wrong-1', cookieHeaders(person))).toBe(400);
  expect(await change('wrong-2', tokenHeaders(person))).toBe(400);
  expect(await change('wrong-3', cookieHeaders(person))).toBe(400);
  expect(await change('wrong-4', tokenHeaders(person))).toBe(429);
  // These guesses count towards the rate limit for signing in.
  await expect(shop.signIn(person.email, person.password)).rejects.toThrow('429');
  const other = await shop.signUp();
  expect(await change(other.password, cookieHeaders(other))).toBe(200);
});

test('signing in again ends the previous session of the browser, and no other', async () => {
  await using shop = await startShop();
  const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
  const elsewhere = await shop.signIn(tom.email, tom.password);
  const isSignedIn = async (person: TestUser) =>
    (await (await sendAuthRequest(shop, '/get-session', undefined, cookieHeaders(person))).json()) !== null;
  const { email, password } = tom;
  const wrong = await sendAuthRequest(
    shop,
    '/sign-in/email',
    { email, password: 'not-this-one' },
    cookieHeaders(tom),
  );
  expect([wrong.status, await isSignedIn(tom)]).toEqual([401, true]);
  const signedInAgain = await sendAuthRequest(
    shop,
    '/sign-in/email',
    { email, password },
    cookieHeaders(tom),
  );
  expect([signedInAgain.status, await isSignedIn(tom)]).toEqual([200, false]);
  expect(await isSignedIn({ ...tom, cookie: readSetCookies(signedInAgain) })).toBe(true);
  expect([await isSignedIn(elsewhere), await isSignedIn(ann)]).toEqual([true, true]);
  // A different user in the same browser also ends the previous session.
  await sendAuthRequest(
    shop,
    '/sign-in/email',
    { email: ann.email, password: ann.password },
    cookieHeaders(elsewhere),
  );
  expect(await isSignedIn(elsewhere)).toBe(false);
});

test('a session that is not fresh cannot link another sign-in method', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  const link = () =>
    sendAuthRequest(shop, '/link-social', { provider: 'google', callbackURL: '/' }, cookieHeaders(tom));
  expect((await link()).status).toBe(200);
  await shop.database.db
    .updateTable('session')
    .set({ createdAt: new Date(Date.now() - 61 * 60 * 1000) })
    .execute();
  const rejected = await link();
  expect([rejected.status, (await readAuthError(rejected)).message]).toEqual([
    403,
    expect.stringMatching(/sign out and in/),
  ]);
});

test('sign-ins, failed sign-ins and rejections are logged without personal data', async () => {
  await using shop = await startShop({ rateLimits: { signInsPerAddressAndEmail: 1 } });
  const tom = await shop.signUp();
  const from = shop.logged.length;
  const { email, password } = tom;
  const { _id } =
    (await shop.client(await shop.admin()).call('listUsers', {})).find((user) => user.email === email) ??
    expect.unreachable();
  await shop.signIn(email, password);
  await sendAuthRequest(shop, '/sign-in/email', { email, password: 'not-this-one' });
  await sendAuthRequest(shop, '/sign-in/email', { email, password: 'not-this-one' });
  await sendCall(shop, 'listUsers', { headers: tokenHeaders(tom) });
  await sendCall(shop, 'isAdmin', { params: { email: 'ann@example.com' }, headers: tokenHeaders(tom) });
  await sendRequest(shop, 'POST', '/api/webhooks/stripe', { body: '{}' });
  await sendRequest({ ...shop, origin: shop.origin }, 'POST', '/login', {
    headers: { origin: 'https://evil.example' },
  });
  const ann = await shop.signUp('Ann');
  const signedInAgain = await sendAuthRequest(
    shop,
    '/sign-in/email',
    { email: ann.email, password: ann.password },
    cookieHeaders(tom),
  );
  await sendAuthRequest(shop, '/sign-out', {}, { cookie: readSetCookies(signedInAgain) });
  const lines = shop.logged.slice(from).map((line): Record<string, unknown> => line);
  const logged = lines.filter(({ security }) => security);
  const annId = (await describeAccount(shop.database, ann.email))?.id;
  expect(logged.map(({ security, status, person }) => [security, status, person])).toEqual([
    ['/sign-up/email', 200, expect.any(String)],
    ['/sign-in/email', 200, _id],
    ['/sign-in/email', 401, undefined],
    ['/sign-in/email', 429, undefined],
    ['rejected /api/user', 403, _id],
    ['rejected /api/admin', 403, _id],
    ['forged event', 400, undefined],
    ['rejected page', 403, undefined],
    ['/sign-up/email', 200, annId],
    // The user who signed in, not the previous user of this browser.
    ['/sign-in/email', 200, annId],
    ['/sign-out', 200, annId],
  ]);
  for (const line of logged)
    expect(line).toMatchObject({
      time: expect.any(String),
      from: expect.stringMatching(/^[\w-]{12}$/),
      requestId: expect.any(String),
    });
  expect(JSON.stringify(logged)).not.toMatch(/@|127\.0\.0\.1|not-this-one/);
});

test('the address of a rejected request is not logged beyond its known prefix', async () => {
  await using shop = await startShop();
  const long = `${'x'.repeat(3000)}tom@example.com`;
  const headers = { origin: 'https://evil.example' };
  for (const path of [
    `/api/auth/${long}`,
    `/api/auth/sign-in/email/${long}`,
    `/api/${long}`,
    `/api/user/${long}`,
    `/${long}`,
    `/images/${long}`,
    '/1/upload',
  ])
    expect([path, (await sendRequest(shop, 'POST', path, { headers })).status]).toEqual([path, 403]);
  const longer = `/api/auth/${long.repeat(2)}`;
  expect((await sendRequest(shop, 'GET', longer)).status).toBe(414);
  const logged = shop.logged.map((line): Record<string, unknown> => line).filter(({ security }) => security);
  expect(logged.map(({ security }) => security)).toEqual([
    'rejected /api/auth',
    'rejected /api/auth',
    'rejected page',
    'rejected /api/user',
    'rejected page',
    'rejected /images',
    'rejected /1/upload',
  ]);
  expect(JSON.stringify(logged)).not.toMatch(/@|xxx/);
});

test('a session ends after 30 days, however often it is used', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const read = () => shop.database.db.selectFrom('session').select('expiresAt').executeTakeFirstOrThrow();
  const day = 24 * 60 * 60 * 1000;
  const soon = new Date(Math.floor(Date.now() / 1000) * 1000 + day);
  await shop.database.db.updateTable('session').set({ expiresAt: soon }).execute();
  const response = await sendAuthRequest(shop, '/get-session', undefined, cookieHeaders(tom));
  expect(await response.json()).toMatchObject({ user: { email: tom.email } });
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(new Date((await read()).expiresAt).getTime()).toBe(soon.getTime());
});
