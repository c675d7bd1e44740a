import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { listLetters, readToken, waitForDelivery, waitForLetter } from '../../../tests/support/letters.ts';
import {
  cookieHeaders,
  readAuthError,
  readSetCookies,
  sendAuthRequest,
  sendCall,
  type TestUser,
} from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { recordStatements } from '../../../tests/support/statements.ts';
import { enterPassword, turnOnTwoFactor } from '../../../tests/support/two-factor.ts';

const newPassword = 'verge-and-foliot';

const requestReset = (shop: TestShop, email: string) =>
  sendAuthRequest(shop, '/request-password-reset', { email });
const reset = (shop: TestShop, token: string, password = newPassword) =>
  sendAuthRequest(shop, '/reset-password', { token, newPassword: password });

/** Requests a reset and returns the token in the message. */
async function getToken(shop: TestShop, email: string): Promise<string> {
  expect((await requestReset(shop, email)).status).toBe(200);
  return readToken(shop, email.toLowerCase(), '/reset-password');
}

const countResets = async (shop: TestShop, email: string) =>
  (await listLetters(shop, email)).filter(({ subject }) => subject === 'Reset your password').length;

describe.each(engines)('on %s', (engine) => {
  test('a link in a message sets a new password once, ends all sessions and confirms the address', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const tom = await shop.signUp();
    const elsewhere = await shop.signIn(tom.email, tom.password);
    const ann = await shop.signUp('Ann');
    const token = await getToken(shop, tom.email.toUpperCase());
    // Neither the request nor the message has changed anything.
    expect(await shop.signIn(tom.email, tom.password)).toHaveProperty('token');

    const responses = await Promise.all([1, 2, 3].map(() => reset(shop, token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    for (const { cookie } of [tom, elsewhere]) {
      const session = await sendAuthRequest(shop, '/get-session', undefined, { cookie });
      expect(await session.json()).toBeNull();
    }
    const { email, ...person } = tom;
    expect(
      (await sendCall(shop, 'listOwnOrders', { headers: { authorization: `Bearer ${person.token}` } }))
        .status,
    ).toBe(401);
    expect((await sendAuthRequest(shop, '/get-session', undefined, cookieHeaders(ann))).status).toBe(200);
    await expect(shop.signIn(email, tom.password)).rejects.toThrow(/401/);
    expect(await shop.signIn(email, newPassword)).toHaveProperty('token');
    expect(await shop.signIn(ann.email, ann.password)).toHaveProperty('token');
    const { db } = shop.database;
    const users = await db.selectFrom('user').select(['email', 'emailVerified']).execute();
    expect(users.map((user) => [user.email, Boolean(user.emailVerified)]).sort()).toEqual(
      [
        [email, true],
        [ann.email, false],
      ].sort(),
    );
    const notice = await waitForLetter(shop, email, /^Your password was changed$/);
    expect(notice.text).toContain(`Reset your password:\n${shop.origin}/forgot-password`);

    const again = await reset(shop, token, 'another-password');
    expect([again.status, await readAuthError(again)]).toEqual([
      400,
      { code: 'INVALID_TOKEN', message: 'This link has expired or has already been used.' },
    ]);
    expect(await shop.signIn(email, newPassword)).toHaveProperty('token');
  });

  test('an unknown address gets the same response and no message', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const tom = await shop.signUp();
    const read = async (response: Response) => [
      response.status,
      await response.text(),
      [...response.headers].filter(([name]) => name !== 'x-request-id'),
    ];
    const known = await recordStatements(() => requestReset(shop, tom.email));
    const unknown = await recordStatements(() => requestReset(shop, 'nobody@example.com'));
    expect(await read(unknown.result)).toEqual(await read(known.result));
    // The same work takes the same time.
    const [forKnown, forUnknown] = [known, unknown].map(({ statementsOf }) =>
      statementsOf(shop.database.db).map(({ sql }) => sql),
    );
    expect(forUnknown).toEqual(forKnown);
    expect(forKnown?.join()).not.toContain('"user"');
    await waitForDelivery(shop);
    expect(await countResets(shop, tom.email)).toBe(1);
    expect(await listLetters(shop, 'nobody@example.com')).toEqual([]);
    const issued = shop.database.db.selectFrom('verification').select('value').where('id', 'like', 'reset %');
    expect(await issued.execute()).toEqual([{ value: tom.email }]);
  });
});

test('a rejected password leaves the link valid', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  const token = await getToken(shop, tom.email);
  for (const [password, message] of [
    ['', /Required/],
    ['short', /short/],
    ['a'.repeat(129), /long/],
    ['Password1', /guessed/],
    ['clockwork', /guessed/],
  ] as const) {
    const response = await reset(shop, token, password);
    expect([password, response.status]).toEqual([password, 400]);
    expect((await readAuthError(response)).message).toMatch(message);
  }
  expect((await reset(shop, token)).status).toBe(200);
});

test('a network address can request three messages per hour for an email address, and thirty in total', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  let token = '';
  for (const sent of [1, 2, 3]) {
    token = await getToken(shop, tom.email);
    expect(await countResets(shop, tom.email)).toBe(sent);
  }
  for (const email of [tom.email, tom.email.toUpperCase()])
    expect((await requestReset(shop, email)).status).toBe(429);
  await waitForDelivery(shop);
  expect(await countResets(shop, tom.email)).toBe(3);
  // The rejected requests have not made the last link invalid.
  expect((await reset(shop, token)).status).toBe(200);
  for (let request = 6; request <= 30; request++)
    expect((await requestReset(shop, `unknown-${request}@example.com`)).status).toBe(200);
  const refused = await requestReset(shop, 'ann@example.com');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
});

test('sign-ups beyond the limit of a network address succeed without a message', async () => {
  await using shop = await startShop({ rateLimits: { linkRequestsPerAddress: 2 } });
  const people = [await shop.signUp('Ann'), await shop.signUp('Bob'), await shop.signUp('Cat')];
  const messages = await shop.database.db.selectFrom('mail').select('recipient').execute();
  const expected = people.slice(0, 2).map(({ email }) => email);
  expect(messages.map(({ recipient }) => recipient).sort()).toEqual(expected.sort());
});

test('a user who signs in with Google can set a password, and keeps Google sign-in', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  const { db } = shop.database;
  await db.updateTable('account').set({ providerId: 'google', password: null }).execute();
  // Google has confirmed the address.
  await db.updateTable('user').set({ emailVerified: true }).execute();
  expect((await reset(shop, await getToken(shop, tom.email))).status).toBe(200);
  expect(await shop.signIn(tom.email, newPassword)).toHaveProperty('token');
  const accounts = await db.selectFrom('account').select('providerId').orderBy('providerId').execute();
  expect(accounts).toEqual([{ providerId: 'credential' }, { providerId: 'google' }]);
});

test('the owner of an address can take over an account that a stranger created with it', async () => {
  await using shop = await startShop();
  await shop.listen();
  const intruder = await shop.signUp();
  const { db } = shop.database;
  const { id } = await db.selectFrom('user').select('id').executeTakeFirstOrThrow();
  await db
    .insertInto('account')
    .values({
      id: 'linked',
      accountId: 'intruder-at-google',
      providerId: 'google',
      userId: id,
      password: null,
      createdAt: new Date(),
      updatedAt: new Date(),
    })
    .execute();
  await turnOnTwoFactor(shop, intruder, 0);
  expect((await reset(shop, await getToken(shop, intruder.email))).status).toBe(200);
  const accounts = await db.selectFrom('account').select('providerId').execute();
  expect(accounts).toEqual([{ providerId: 'credential' }]);
  // The owner need not enter a code that only the intruder has.
  expect(await shop.signIn(intruder.email, newPassword)).toHaveProperty('token');
  await waitForLetter(shop, intruder.email, /^Two-factor sign-in was turned off$/);
});

test.each([
  ['a confirmed address', { emailVerified: true }],
  ['an admin', { role: 'admin' }],
])('two-factor sign-in of %s stays on after a reset', async (_, columns) => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  await turnOnTwoFactor(shop, tom, 0);
  const { db } = shop.database;
  await db.updateTable('user').set(columns).execute();
  expect((await reset(shop, await getToken(shop, tom.email))).status).toBe(200);
  const { cookie } = await enterPassword(shop, { ...tom, password: newPassword });
  expect(cookie).toMatch(/^shop.session_token=;.*shop.two_factor=2fa/);
});

test('a reset unlinks a Google account that an intruder linked to an account with a password', async () => {
  for (const engine of engines) {
    await using shop = await startShop({ engine });
    await shop.listen();
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    const { db } = shop.database;
    // The reset also unlinks it if the address was confirmed.
    await db.updateTable('user').set({ emailVerified: true }).execute();
    for (const { email } of [tom, ann]) {
      const { id: userId } = await db
        .selectFrom('user')
        .select('id')
        .where('email', '=', email)
        .executeTakeFirstOrThrow();
      const now = new Date();
      const google = { providerId: 'google', accountId: `google-${email}`, userId };
      await db
        .insertInto('account')
        .values({ id: uuidv7(), ...google, createdAt: now, updatedAt: now })
        .execute();
    }
    expect((await reset(shop, await getToken(shop, tom.email))).status).toBe(200);
    const left = db.selectFrom('account').select('accountId').where('providerId', '=', 'google');
    expect(await left.execute()).toEqual([{ accountId: `google-${ann.email}` }]);
  }
});

test('a stranger cannot flood an address with notices of changed passwords', async () => {
  await using shop = await startShop();
  await shop.listen();
  const eve = await shop.signUp();
  let [cookie, password] = [eve.cookie, eve.password];
  for (let change = 1; change <= 6; change++) {
    const next = `${newPassword}-${change}`;
    const form = { currentPassword: password, newPassword: next };
    const response = await sendAuthRequest(shop, '/change-password', form, { cookie });
    expect(response.status).toBe(200);
    [cookie, password] = [readSetCookies(response), next];
  }
  await waitForDelivery(shop);
  const subjects = (await listLetters(shop, eve.email)).map(({ subject }) => subject);
  expect(subjects.filter((subject) => subject === 'Your password was changed')).toHaveLength(3);
});

test('variants of an address share the limit of confirmation links, which does not apply to resets', async () => {
  await using shop = await startShop();
  await shop.listen();
  const signUp = (email: string) =>
    sendAuthRequest(shop, '/sign-up/email', { name: 'Eve', email, password: 'anchor-escapement' });
  expect((await signUp('tom.graham@gmail.com')).status).toBe(200);
  const variants = ['tomgraham+1@gmail.com', 't.omgraham@gmail.com', 'tomgraham@googlemail.com'];
  for (const email of variants) expect((await signUp(email)).status).toBe(200);
  await waitForDelivery(shop);
  expect(await shop.inbox.list()).toHaveLength(3);
  expect((await requestReset(shop, 'tom.graham@gmail.com')).status).toBe(200);
  await waitForLetter(shop, 'tom.graham@gmail.com', /^Reset your password$/);
});

const confirm = (shop: TestShop, person: Pick<TestUser, 'cookie'>, token: string) =>
  sendAuthRequest(shop, '/verify-email', { token }, cookieHeaders(person));
const sendAgain = (shop: TestShop, person: TestUser) =>
  sendAuthRequest(shop, '/send-verification-email', {}, cookieHeaders(person));

describe.each(engines)('confirming an address on %s', (engine) => {
  test('a rejected sign-up sends nothing', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const list = () => shop.database.db.selectFrom('mail').select(['kind', 'recipient']).execute();
    const before = await list();
    expect(before).toEqual([{ kind: 'confirm address', recipient: tom.email }]);
    const form = { name: 'Eve', email: tom.email, password: 'anchor-escapement' };
    expect((await sendAuthRequest(shop, '/sign-up/email', form)).status).toBe(422);
    const simultaneous = { ...form, email: 'ann@example.com' };
    await Promise.all([1, 2, 3].map(() => sendAuthRequest(shop, '/sign-up/email', simultaneous)));
    expect(await list()).toEqual(
      expect.arrayContaining([...before, { kind: 'confirm address', recipient: 'ann@example.com' }]),
    );
    expect(await list()).toHaveLength(2);
  });

  test('a change of password is reported to its user, a failed attempt is not', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const tom = await shop.signUp();
    const change = (currentPassword: string) =>
      sendAuthRequest(shop, '/change-password', { currentPassword, newPassword }, cookieHeaders(tom));
    expect((await change('not-the-password')).status).toBe(400);
    await waitForDelivery(shop);
    const count = async () =>
      (await listLetters(shop, tom.email)).filter(({ subject }) => /changed/.test(subject ?? '')).length;
    expect(await count()).toBe(0);
    expect((await change(tom.password)).status).toBe(200);
    await waitForLetter(shop, tom.email, /^Your password was changed$/);
    expect(await count()).toBe(1);
  });
});

test('a user can have the link sent again, three messages per hour in all', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  expect((await sendAuthRequest(shop, '/send-verification-email', {})).status).toBe(401);
  for (const sent of [2, 3]) {
    await waitForDelivery(shop);
    expect((await sendAgain(shop, tom)).status).toBe(200);
    await waitForDelivery(shop);
    expect(await listLetters(shop, tom.email)).toHaveLength(sent);
  }
  const refused = await sendAgain(shop, tom);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
  const token = await readToken(shop, tom.email, '/confirm-address');
  expect((await confirm(shop, tom, token)).status).toBe(200);
  // Nothing is sent to a confirmed address.
  expect((await sendAgain(shop, tom)).status).toBe(200);
  await waitForDelivery(shop);
  expect(await listLetters(shop, tom.email)).toHaveLength(3);
});
