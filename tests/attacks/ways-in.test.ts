import { expect, test } from 'vitest';
import { describeAccount, setPassword } from '../../server/identity/accounts.ts';
import type { Person } from '../support/ask.ts';
import { ask, askIdentity, askPath, byCookie, byToken, cookieOf, readRefusal } from '../support/ask.ts';
import { engines } from '../support/database.ts';
import { startShop } from '../support/shop.ts';

// The password that make-admin and reset-password set: somebody else may have made the account and prepared it.
test.each(engines)('a password that the shopkeeper sets is the only way in, on %s', async (engine) => {
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
  await setPassword(shop.database, id, 'told-this-once');
  const after = await describeAccount(shop.database, person.email);
  expect(after?.description).toContain('signs in with a password.');
  await expect(shop.signIn(person.email, person.password)).rejects.toThrow('401');
  expect(await shop.signIn(person.email, 'told-this-once')).toHaveProperty('token');
});

test('whoever has got hold of a session cannot guess its password without end', async () => {
  await using shop = await startShop({ limits: { signInsForAddressAndEmail: 3 } });
  const person = await shop.signUp();
  const change = async (currentPassword: string, headers: Record<string, string>) => {
    const form = { currentPassword, newPassword: 'verge-and-foliot' };
    return (await askIdentity(shop, '/change-password', form, headers)).status;
  };
  expect(await change('wrong-1', byCookie(person))).toBe(400);
  expect(await change('wrong-2', byToken(person))).toBe(400);
  expect(await change('wrong-3', byCookie(person))).toBe(400);
  expect(await change('wrong-4', byToken(person))).toBe(429);
  // It is the same guessing as at the door.
  await expect(shop.signIn(person.email, person.password)).rejects.toThrow('429');
  const other = await shop.signUp();
  expect(await change(other.password, byCookie(other))).toBe(200);
});

test('whoever signs in again leaves no session behind, and ends nobody else’s', async () => {
  await using shop = await startShop();
  const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
  const elsewhere = await shop.signIn(tom.email, tom.password);
  const isIn = async (person: Person) =>
    (await (await askIdentity(shop, '/get-session', undefined, byCookie(person))).json()) !== null;
  const { email, password } = tom;
  const wrong = await askIdentity(shop, '/sign-in/email', { email, password: 'not-this-one' }, byCookie(tom));
  expect([wrong.status, await isIn(tom)]).toEqual([401, true]);
  const again = await askIdentity(shop, '/sign-in/email', { email, password }, byCookie(tom));
  expect([again.status, await isIn(tom)]).toEqual([200, false]);
  expect(await isIn({ ...tom, cookie: cookieOf(again) })).toBe(true);
  expect([await isIn(elsewhere), await isIn(ann)]).toEqual([true, true]);
  // Another person at the same browser: whose session it was is out of it.
  await askIdentity(
    shop,
    '/sign-in/email',
    { email: ann.email, password: ann.password },
    byCookie(elsewhere),
  );
  expect(await isIn(elsewhere)).toBe(false);
});

test('a session that is not fresh opens no other way into its account', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  const link = () =>
    askIdentity(shop, '/link-social', { provider: 'google', callbackURL: '/' }, byCookie(tom));
  expect((await link()).status).toBe(200);
  await shop.database.db
    .updateTable('session')
    .set({ createdAt: new Date(Date.now() - 61 * 60 * 1000) })
    .execute();
  const refused = await link();
  expect([refused.status, (await readRefusal(refused)).message]).toEqual([
    403,
    expect.stringMatching(/sign out and in/),
  ]);
});

test('who comes in, who tries to, and who is refused is written down, without a word on who they are', async () => {
  await using shop = await startShop({ limits: { signInsForAddressAndEmail: 1 } });
  const tom = await shop.signUp();
  const from = shop.logged.length;
  const { email, password } = tom;
  const { _id } =
    (await shop.client(await shop.admin()).call('listUsers', {})).find((each) => each.email === email) ??
    expect.unreachable();
  await shop.signIn(email, password);
  await askIdentity(shop, '/sign-in/email', { email, password: 'not-this-one' });
  await askIdentity(shop, '/sign-in/email', { email, password: 'not-this-one' });
  await ask(shop, 'listUsers', { headers: byToken(tom) });
  await ask(shop, 'isAdmin', { params: { email: 'ann@example.com' }, headers: byToken(tom) });
  await askPath(shop, 'POST', '/api/webhooks/stripe', { body: '{}' });
  await askPath({ ...shop, origin: shop.origin }, 'POST', '/login', {
    headers: { origin: 'https://evil.example' },
  });
  const ann = await shop.signUp('Ann');
  const again = await askIdentity(
    shop,
    '/sign-in/email',
    { email: ann.email, password: ann.password },
    byCookie(tom),
  );
  await askIdentity(shop, '/sign-out', {}, { cookie: cookieOf(again) });
  const lines = shop.logged.slice(from).map((line): Record<string, unknown> => line);
  const noted = lines.filter(({ security }) => security);
  const annId = (await describeAccount(shop.database, ann.email))?.id;
  expect(noted.map(({ security, status, person }) => [security, status, person])).toEqual([
    ['/sign-up/email', 200, expect.any(String)],
    ['/sign-in/email', 200, _id],
    ['/sign-in/email', 401, undefined],
    ['/sign-in/email', 429, undefined],
    ['refused /api/user', 403, _id],
    ['refused /api/admin', 403, _id],
    ['forged event', 400, undefined],
    ['refused page', 403, undefined],
    ['/sign-up/email', 200, annId],
    // Who came in, not whose browser it was.
    ['/sign-in/email', 200, annId],
    ['/sign-out', 200, annId],
  ]);
  for (const line of noted)
    expect(line).toMatchObject({
      time: expect.any(String),
      from: expect.stringMatching(/^[\w-]{12}$/),
      requestId: expect.any(String),
    });
  expect(JSON.stringify(noted)).not.toMatch(/@|127\.0\.0\.1|not-this-one/);
});

test('what somebody writes into an address that is refused is not written down', async () => {
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
    expect([path, (await askPath(shop, 'POST', path, { headers })).status]).toEqual([path, 403]);
  const longer = `/api/auth/${long.repeat(2)}`;
  expect((await askPath(shop, 'GET', longer)).status).toBe(414);
  const noted = shop.logged.map((line): Record<string, unknown> => line).filter(({ security }) => security);
  expect(noted.map(({ security }) => security)).toEqual([
    'refused /api/auth',
    'refused /api/auth',
    'refused page',
    'refused /api/user',
    'refused page',
    'refused /images',
    'refused /1/upload',
  ]);
  expect(JSON.stringify(noted)).not.toMatch(/@|xxx/);
});

test('a session ends after 30 days, however often it is used', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const read = () => shop.database.db.selectFrom('session').select('expiresAt').executeTakeFirstOrThrow();
  const day = 24 * 60 * 60 * 1000;
  const soon = new Date(Math.floor(Date.now() / 1000) * 1000 + day);
  await shop.database.db.updateTable('session').set({ expiresAt: soon }).execute();
  const response = await askIdentity(shop, '/get-session', undefined, byCookie(tom));
  expect(await response.json()).toMatchObject({ user: { email: tom.email } });
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(new Date((await read()).expiresAt).getTime()).toBe(soon.getTime());
});
