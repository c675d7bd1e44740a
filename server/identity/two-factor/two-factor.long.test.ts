import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { MailKind } from '../../../contract/mail.ts';
import { engines } from '../../../tests/support/database.ts';
import {
  cookieHeaders,
  readAuthError,
  readProblem,
  readSetCookies,
  sendAuthRequest,
  sendCall,
  type TestUser,
} from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { interruptAfter, interruptBefore, recordStatements } from '../../../tests/support/statements.ts';
import {
  computeCode,
  enterCode,
  enterPassword,
  periodMs,
  startTwoFactor,
  turnOnTwoFactor,
  withToken,
} from '../../../tests/support/two-factor.ts';

// Tests start in the middle of a period, so that no code expires between two lines.
beforeEach(() => void vi.setSystemTime((Math.floor(Date.now() / periodMs) + 0.5) * periodMs));
afterEach(() => void vi.useRealTimers());

const skipPeriods = (count: number) => vi.setSystemTime(Date.now() + count * periodMs);

/** A code that is not valid now. */
function computeWrongCode(secret: string): string {
  const valid = [-1, 0, 1].map((period) => computeCode(secret, period));
  return (
    ['000000', '111111', '222222', '333333'].find((code) => !valid.includes(code)) ?? expect.unreachable()
  );
}

async function isSignedIn(shop: TestShop, { email }: TestUser, cookie: string): Promise<boolean> {
  const saved = await sendCall(shop, 'saveUser', {
    params: { email },
    body: { email },
    headers: { cookie },
  });
  return saved.status === 200;
}

/** The recipients of notices that two-factor sign-in was turned off or on. */
async function listNotices(
  { database: { db } }: TestShop,
  kind: MailKind = 'two-factor off',
): Promise<string[]> {
  const rows = await db.selectFrom('mail').select('recipient').where('kind', '=', kind).execute();
  return rows.map(({ recipient }) => recipient);
}

const countSessions = async (shop: TestShop) =>
  (await shop.database.db.selectFrom('session').select('id').execute()).length;

describe.each(engines)('on %s', (engine) => {
  test('two-factor sign-in is on after the first correct code, and then sign-in has a second step', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const { password } = tom;
    const wrong = await sendAuthRequest(
      shop,
      '/two-factor/enable',
      { password: 'not-the-password' },
      cookieHeaders(tom),
    );
    expect([wrong.status, (await readAuthError(wrong)).code]).toEqual([400, 'INVALID_PASSWORD']);
    // Setting up two-factor sign-in has begun, but is not finished.
    await sendAuthRequest(shop, '/two-factor/enable', { password }, cookieHeaders(tom));
    expect((await enterPassword(shop, tom)).cookie).toContain('session_token=');

    const enrolled = await turnOnTwoFactor(shop, tom);
    expect(await listNotices(shop, 'two-factor on')).toEqual([tom.email]);
    expect(enrolled.recoveryCodes).toHaveLength(10);
    expect(new Set(enrolled.recoveryCodes).size).toBe(10);
    // Turning two-factor sign-in on renews this session.
    expect(await isSignedIn(shop, tom, tom.cookie)).toBe(false);
    expect(await isSignedIn(shop, tom, enrolled.cookie)).toBe(true);

    const before = await countSessions(shop);
    const { response, cookie } = await enterPassword(shop, tom);
    expect([response.status, await response.json()]).toEqual([
      200,
      { twoFactorRedirect: true, twoFactorMethods: ['totp'] },
    ]);
    // Between the two steps, there is no session, not even in the database.
    expect(await isSignedIn(shop, tom, cookie)).toBe(false);
    expect(await countSessions(shop)).toBe(before);
    for (const path of ['/get-session', '/list-sessions']) {
      const session = await sendAuthRequest(shop, path, undefined, { cookie });
      expect([path, session.status === 401 || (await session.json())]).toEqual([
        path,
        path === '/get-session' ? null : true,
      ]);
    }

    const signedIn = await enterCode(shop, computeCode(enrolled.secret), cookie);
    expect(signedIn.status).toBe(200);
    expect(await isSignedIn(shop, tom, readSetCookies(signedIn))).toBe(true);
    expect(signedIn.headers.getSetCookie().join()).not.toContain('trust_device');
    // The challenge is used up.
    skipPeriods(1);
    expect((await enterCode(shop, computeCode(enrolled.secret), cookie)).status).toBe(401);
  });

  test('secrets and recovery codes are encrypted in the database', async () => {
    await using shop = await startShop({ engine });
    const { secret, recoveryCodes } = await turnOnTwoFactor(shop, await shop.signUp());
    const rows = JSON.stringify(await shop.database.db.selectFrom('twoFactor').selectAll().execute());
    for (const text of [secret, ...recoveryCodes]) expect(rows).not.toContain(text);
  });

  test('a code is valid once, even in simultaneous attempts', async () => {
    await using shop = await startShop({ engine });
    const tom = await turnOnTwoFactor(shop, await shop.signUp());
    // `turnOnTwoFactor` has used the code of the previous period.
    const first = await enterPassword(shop, tom);
    expect((await enterCode(shop, computeCode(tom.secret, -1), first.cookie)).status).toBe(401);

    const code = computeCode(tom.secret);
    const browsers = await Promise.all([1, 2, 3].map(() => enterPassword(shop, tom)));
    const responses = await Promise.all(browsers.map(({ cookie }) => enterCode(shop, code, cookie)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    for (const response of responses)
      if (!response.ok) expect((await readAuthError(response)).code).toBe('INVALID_CODE');
    skipPeriods(1);
    expect((await enterCode(shop, code, (await enterPassword(shop, tom)).cookie)).status).toBe(401);
    expect(
      (await enterCode(shop, computeCode(tom.secret), (await enterPassword(shop, tom)).cookie)).status,
    ).toBe(200);
  });

  test('a recovery code works once, even in simultaneous attempts; new codes replace the old', async () => {
    await using shop = await startShop({ engine });
    const tom = await turnOnTwoFactor(shop, await shop.signUp());
    const [first = '', second = ''] = tom.recoveryCodes;
    const browsers = await Promise.all([1, 2, 3].map(() => enterPassword(shop, tom)));
    const responses = await Promise.all(browsers.map(({ cookie }) => enterCode(shop, first, cookie)));
    expect(responses.filter(({ ok }) => ok)).toHaveLength(1);
    const renewed = await sendAuthRequest(
      shop,
      '/two-factor/generate-backup-codes',
      { password: tom.password },
      cookieHeaders(tom),
    );
    const { backupCodes }: { backupCodes: string[] } = await renewed.json();
    expect(backupCodes).toHaveLength(10);
    const { cookie } = await enterPassword(shop, tom);
    expect((await enterCode(shop, second, cookie)).status).toBe(401);
    expect((await enterCode(shop, backupCodes[0] ?? '', cookie)).status).toBe(200);
  });

  test('ten wrong codes in ten minutes are the limit across all sign-ins of a user', async () => {
    await using shop = await startShop({ engine });
    const tom = await turnOnTwoFactor(shop, await shop.signUp());
    const ann = await turnOnTwoFactor(shop, await shop.signUp('Ann'));
    const wrong = computeWrongCode(tom.secret);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      const { cookie } = await enterPassword(shop, tom);
      // The same digits again would only be a replay.
      const code = `${(Number(wrong) + attempt) % 1_000_000}`.padStart(6, '0');
      const isValid = [-1, 0, 1].some((period) => computeCode(tom.secret, period) === code);
      statuses.push((await enterCode(shop, isValid ? 'wrong' : code, cookie)).status);
    }
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2);
    const { cookie } = await enterPassword(shop, tom);
    const correct = await enterCode(shop, computeCode(tom.secret), cookie);
    expect(correct.status).toBe(429);
    expect(Number(correct.headers.get('retry-after'))).toBeGreaterThan(0);
    // Without the password, nobody can use up the attempts: there is no challenge to answer.
    for (let attempt = 0; attempt < 12; attempt++)
      expect((await enterCode(shop, wrong, '')).status).toBe(401);
    const other = await enterPassword(shop, ann);
    expect((await enterCode(shop, computeCode(ann.secret), other.cookie)).status).toBe(200);
    // Better Auth's own lock lasts 15 minutes.
    skipPeriods(32);
    const later = await enterPassword(shop, tom);
    expect((await enterCode(shop, computeCode(tom.secret), later.cookie)).status).toBe(200);
  });

  test('simultaneous wrong codes all count', async () => {
    await using shop = await startShop({ engine, rateLimits: { codesPerUser: 3 } });
    const tom = await turnOnTwoFactor(shop, await shop.signUp());
    const wrong = Number(computeWrongCode(tom.secret));
    const browsers = await Promise.all(Array.from({ length: 8 }, () => enterPassword(shop, tom)));
    const responses = await Promise.all(
      browsers.map(({ cookie }, index) => enterCode(shop, `${wrong + index}`.padStart(6, '0'), cookie)),
    );
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(5);
  });

  test('a trusted device skips the second step until two-factor sign-in is turned off', async () => {
    await using shop = await startShop({ engine });
    const tom = await turnOnTwoFactor(shop, await shop.signUp());
    const ann = await turnOnTwoFactor(shop, await shop.signUp('Ann'));
    const { cookie } = await enterPassword(shop, tom);
    const signedIn = await enterCode(shop, computeCode(tom.secret), cookie, { trustDevice: true });
    const [trust = ''] = signedIn.headers
      .getSetCookie()
      .filter((set) => set.startsWith('shop.trust_device='));
    expect(trust).toMatch(/; Max-Age=2592000;/);
    expect(trust).toMatch(/HttpOnly/);
    const device = trust.split(';')[0] ?? '';

    // The device is not trusted for another user, nor after a change to the cookie.
    for (const [person, cookie] of [
      [ann, device],
      [tom, device.replace(/.{4}$/, 'AAAA')],
    ] as const)
      expect(await (await enterPassword(shop, person, cookie)).response.json()).toMatchObject({
        twoFactorRedirect: true,
      });

    const trusted = await enterPassword(shop, tom, device);
    expect(await isSignedIn(shop, tom, trusted.cookie)).toBe(true);
    // Each use renews the cookie, so a copy of the old one is worthless.
    expect(await (await enterPassword(shop, tom, device)).response.json()).toMatchObject({
      twoFactorRedirect: true,
    });
    const renewed = trusted.cookie.split('; ').find((pair) => pair.startsWith('shop.trust_device=')) ?? '';

    // Two-factor sign-in is turned off in another browser.
    const off = await sendAuthRequest(
      shop,
      '/two-factor/disable',
      { password: tom.password },
      cookieHeaders(tom),
    );
    expect(off.status).toBe(200);
    expect(await listNotices(shop)).toEqual([tom.email]);
    const afterwards = await enterPassword(shop, tom);
    expect(await isSignedIn(shop, tom, afterwards.cookie)).toBe(true);
    skipPeriods(3);
    await turnOnTwoFactor(shop, { ...tom, cookie: afterwards.cookie });
    expect(await (await enterPassword(shop, tom, renewed)).response.json()).toMatchObject({
      twoFactorRedirect: true,
    });
    const left = shop.database.db.selectFrom('verification').select('identifier').execute();
    expect((await left).filter(({ identifier }) => identifier.startsWith('trust-device-'))).toEqual([]);
  });

  test('the second step belongs to one browser', async () => {
    await using shop = await startShop({ engine });
    const tom = await turnOnTwoFactor(shop, await shop.signUp());
    const { cookie } = await enterPassword(shop, tom);
    // No identifier contains a tilde.
    const forged = cookie.replace(/(two_factor=2fa-)./, '$1~');
    for (const other of ['', forged, cookie.replace('two_factor', 'two-factor')])
      expect((await enterCode(shop, computeCode(tom.secret), other)).status).toBe(401);
    expect((await enterCode(shop, computeCode(tom.secret), cookie)).status).toBe(200);
  });

  test('changing the password leaves two-factor sign-in on', async () => {
    await using shop = await startShop({ engine });
    const tom = await turnOnTwoFactor(shop, await shop.signUp());
    const newPassword = 'verge-and-foliot';
    const body = { currentPassword: tom.password, newPassword };
    expect((await sendAuthRequest(shop, '/change-password', body, cookieHeaders(tom))).status).toBe(200);
    const { response } = await enterPassword(shop, { ...tom, password: newPassword });
    expect(await response.json()).toMatchObject({ twoFactorRedirect: true });
  });

  test('REQUIRE_ADMIN_2FA gives admins their rights only after a second factor', async () => {
    await using shop = await startShop({ engine, settings: { REQUIRE_ADMIN_2FA: 'yes' } });
    const ada = await shop.admin();
    const tom = await shop.signUp();
    async function listUsers(person: TestUser) {
      const response = await sendCall(shop, 'listUsers', { headers: cookieHeaders(person) });
      return response.ok ? 'allowed' : (await readProblem(response)).detail;
    }
    expect(await listUsers(ada)).toMatch(/turn it on first/);
    expect(await listUsers(tom)).toBe('Only an admin may do this.');
    const params = { email: ada.email };
    expect(await shop.client(ada).call('isAdmin', { params })).toEqual({ admin: false });
    const read = async (person: TestUser) =>
      (await sendAuthRequest(shop, '/get-session', undefined, cookieHeaders(person))).json();
    expect(await read(ada)).toMatchObject({ user: { role: null, adminStep: 'setup' } });

    const enrolled = await turnOnTwoFactor(shop, ada);
    expect(await listUsers(enrolled)).toBe('allowed');
    expect(await read(enrolled)).toMatchObject({ user: { role: 'admin' } });

    // Changing the password keeps the rights of this session.
    const newPassword = 'verge-and-foliot';
    const changed = await sendAuthRequest(
      shop,
      '/change-password',
      { currentPassword: ada.password, newPassword },
      cookieHeaders(enrolled),
    );
    const renewed = await withToken(shop, { ...enrolled, cookie: readSetCookies(changed) });
    expect(await listUsers(renewed)).toBe('allowed');

    // A session without a second factor, such as one with Google, has no rights until a code is entered.
    await shop.database.db.updateTable('session').set({ secondFactor: false }).execute();
    expect(await listUsers(renewed)).toMatch(/enter a code/);
    const wrong = await enterCode(shop, computeWrongCode(enrolled.secret), renewed.cookie);
    expect([wrong.status, await listUsers(renewed)]).toEqual([401, expect.stringMatching(/enter a code/)]);
    const entered = await enterCode(shop, computeCode(enrolled.secret), renewed.cookie);
    expect([entered.status, await listUsers(renewed)]).toEqual([200, 'allowed']);

    const password = newPassword;
    const off = await sendAuthRequest(shop, '/two-factor/disable', { password }, cookieHeaders(renewed));
    const without = await withToken(shop, { ...renewed, cookie: readSetCookies(off) });
    expect(await listUsers(without)).toMatch(/turn it on first/);
  });
});

test.each(engines)('on %s, two-factor sign-in changes only together with its notice', async (engine) => {
  await using shop = await startShop({ engine, allowErrorLogs: true });
  const tom = await shop.signUp();
  const { db } = shop.database;
  const read = async () => ({
    user: await db.selectFrom('user').select('twoFactorEnabled').executeTakeFirst(),
    app: await db.selectFrom('twoFactor').select(['verified', 'secret']).execute(),
    sessions: await db.selectFrom('session').select('token').execute(),
    notices: await db.selectFrom('mail').select('kind').execute(),
  });
  /** Fails each insert into the outbox during `work`. */
  async function failNotices(work: () => Promise<Response>): Promise<number> {
    if (engine === 'postgres')
      await sql`create function fail() returns trigger language plpgsql as
        $$ begin raise exception 'failed'; end $$`.execute(db);
    await (engine === 'sqlite'
      ? sql`create trigger fail before insert on mail begin select raise(abort, 'failed'); end`
      : sql`create trigger fail before insert on mail execute function fail()`
    ).execute(db);
    const { status } = await work();
    await (engine === 'sqlite' ? sql`drop trigger fail` : sql`drop function fail cascade`).execute(db);
    return status;
  }

  const { secret, enterFirst } = await startTwoFactor(shop, tom);
  const before = await read();
  expect(await failNotices(() => enterFirst(computeCode(secret)))).toBe(500);
  expect(await read()).toEqual(before);
  const on = await enterFirst(computeCode(secret));
  expect([on.status, await listNotices(shop, 'two-factor on')]).toEqual([200, [tom.email]]);

  const { password } = tom;
  const headers = { cookie: readSetCookies(on) };
  const turnOff = () => sendAuthRequest(shop, '/two-factor/disable', { password }, headers);
  const whileOn = await read();
  expect(await failNotices(turnOff)).toBe(500);
  expect(await read()).toEqual(whileOn);
  expect([(await turnOff()).status, await listNotices(shop)]).toEqual([200, [tom.email]]);
});

describe.each(engines)('on %s, while another session turns two-factor sign-in off', (engine) => {
  test('the first code turns nothing on and is rejected', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const elsewhere = await shop.signIn(tom.email, tom.password);
    const { secret, enterFirst } = await startTwoFactor(shop, tom);
    const turnOff = () =>
      sendAuthRequest(shop, '/two-factor/disable', { password: tom.password }, cookieHeaders(elsewhere));
    interruptAfter(shop.database.db, /^select .* from "twoFactor"/, turnOff);
    const response = await enterFirst(computeCode(secret));
    expect([response.status, (await readAuthError(response)).code]).toEqual([401, 'SESSION_REQUIRED']);
    const user = shop.database.db.selectFrom('user').select('twoFactorEnabled');
    expect(Boolean((await user.executeTakeFirst())?.twoFactorEnabled)).toBe(false);
  });

  test('a trusted device that signs in is not trusted once two-factor sign-in is on again', async () => {
    await using shop = await startShop({ engine });
    const tom = await turnOnTwoFactor(shop, await shop.signUp());
    const { cookie } = await enterPassword(shop, tom);
    const entered = await enterCode(shop, computeCode(tom.secret), cookie, { trustDevice: true });
    const turnOff = () =>
      sendAuthRequest(shop, '/two-factor/disable', { password: tom.password }, cookieHeaders(tom));
    interruptBefore(shop.database.db, /^insert into "verification"/, turnOff);
    const inFlight = await enterPassword(shop, tom, readSetCookies(entered));
    expect([inFlight.response.status, inFlight.cookie]).toEqual([401, '']);
    await turnOnTwoFactor(shop, { ...tom, ...(await enterPassword(shop, tom)) });
    const { response } = await enterPassword(shop, tom, readSetCookies(entered));
    expect(await response.json()).toHaveProperty('twoFactorRedirect');
  });
});

test('a sign-in without two-factor sign-in executes no further statements', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const { result, statementsOf } = await recordStatements(() => enterPassword(shop, tom));
  expect(result.response.status).toBe(200);
  // There are as many statements as without the plugin, plus one that detects that all sessions have ended meanwhile, one that ends
  // the oldest sessions, two that limit correct passwords, and two that read the limits on wrong ones.
  expect(statementsOf(shop.database.db)).toHaveLength(15);
});

test('without REQUIRE_ADMIN_2FA, an admin needs no second factor', async () => {
  await using shop = await startShop();
  expect((await sendCall(shop, 'listUsers', { headers: cookieHeaders(await shop.admin()) })).status).toBe(
    200,
  );
});

test('entering the password ends the previous session of the browser', async () => {
  await using shop = await startShop();
  const tom = await turnOnTwoFactor(shop, await shop.signUp());
  const ann = await shop.signUp('Ann');
  const { cookie } = await enterPassword(shop, tom, ann.cookie);
  expect(cookie).toMatch(/shop\.session_token=;/);
  expect(await isSignedIn(shop, ann, ann.cookie)).toBe(false);
});

test('invalid codes are rejected before they are compared', async () => {
  await using shop = await startShop();
  const tom = await turnOnTwoFactor(shop, await shop.signUp());
  const { cookie } = await enterPassword(shop, tom);
  for (const code of ['', '12345', '1234567', '12345a', 'x'.repeat(10_000), '-', 'ABCDE-FGHJK'])
    expect([code, (await enterCode(shop, code, cookie)).status]).toEqual([code, 400]);
  expect((await enterCode(shop, computeCode(tom.secret), cookie)).status).toBe(200);
});

test('turning two-factor sign-in off when it is not on sends no message', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const { password } = tom;
  const off = await sendAuthRequest(shop, '/two-factor/disable', { password }, cookieHeaders(tom));
  expect(off.status).toBe(200);
  expect(await listNotices(shop)).toEqual([]);
});
