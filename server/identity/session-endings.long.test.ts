import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { engines } from '../../tests/support/database.ts';
import { addPasskey, createDevice, signInWith } from '../../tests/support/passkeys.ts';
import {
  cookieHeaders,
  readAuthError,
  readSetCookies,
  sendAuthRequest,
  type TestUser,
} from '../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';
import { interruptAfter, interruptBefore } from '../../tests/support/statements.ts';
import {
  computeCode,
  enterCode,
  enterPassword,
  startTwoFactor,
  turnOnTwoFactor,
} from '../../tests/support/two-factor.ts';
import { waitUntil } from '../../tests/support/wait.ts';
import { setPassword } from './accounts.ts';
import { issueToken } from './recovery/tokens.ts';
import { endAccess } from './session-endings.ts';
import { removeTwoFactor } from './two-factor/two-factor.ts';

const newPassword = 'verge-and-foliot';

type SignIn = () => Promise<Response>;

/** Each function does everything before the request that opens the session, and returns a function that sends that request. */
const waysToSignIn: Record<string, (shop: TestShop, tom: TestUser) => Promise<SignIn>> = {
  password: async (shop, tom) => async () => (await enterPassword(shop, tom)).response,
  async passkey(shop, tom) {
    const device = createDevice();
    await addPasskey(shop, tom, device);
    return () => signInWith(shop, device);
  },
  async code(shop, tom) {
    const { secret } = await turnOnTwoFactor(shop, tom, 0);
    const { cookie } = await enterPassword(shop, tom);
    return () => enterCode(shop, computeCode(secret, 1), cookie);
  },
  async 'recovery code'(shop, tom) {
    const { recoveryCodes } = await turnOnTwoFactor(shop, tom, 0);
    const { cookie } = await enterPassword(shop, tom);
    return () => enterCode(shop, recoveryCodes[0] ?? '', cookie);
  },
  async 'trusted device'(shop, tom) {
    const { secret } = await turnOnTwoFactor(shop, tom, 0);
    const { cookie } = await enterPassword(shop, tom);
    const device = readSetCookies(
      await enterCode(shop, computeCode(secret, 1), cookie, { trustDevice: true }),
    );
    return async () => (await enterPassword(shop, tom, device)).response;
  },
};

const waysToEndSessions: Record<string, (shop: TestShop, tom: TestUser, id: string) => Promise<unknown>> = {
  'a password reset': (shop, tom) => resetPassword(shop, tom),
  'a changed password': (shop, tom) => changePassword(shop, tom),
  'a changed address': async (shop, tom, key) => {
    const token = await issueToken(shop.database, 'change address', 'tom@new.example', { key });
    const changed = await sendAuthRequest(shop, '/confirm-email-change', { token }, cookieHeaders(tom));
    expect(changed.status).toBe(200);
  },
  'an admin’s sign-out': async (shop, { email }) =>
    shop.client(await shop.admin()).call('signOutUser', { params: { email } }),
  'npm run reset-password': (shop, _tom, id) => setPassword(shop.database, id, newPassword),
  'npm run reset-2fa': async (shop, _tom, id) => {
    await shop.database.db.updateTable('user').set({ twoFactorEnabled: true }).execute();
    expect(await removeTwoFactor(shop.database, id, async () => undefined)).toBe(true);
  },
};

async function resetPassword(shop: TestShop, { email }: TestUser): Promise<void> {
  const token = await issueToken(shop.database, 'reset password', email);
  expect((await sendAuthRequest(shop, '/reset-password', { token, newPassword })).status).toBe(200);
}

async function changePassword(shop: TestShop, tom: TestUser): Promise<void> {
  const form = { currentPassword: tom.password, newPassword };
  const changed = await sendAuthRequest(shop, '/change-password', form, cookieHeaders(tom));
  expect(changed.status).toBe(200);
  const session = await sendAuthRequest(shop, '/get-session', undefined, {
    cookie: readSetCookies(changed),
  });
  expect((await session.json())?.user.email).toBe(tom.email);
}

const listSessions = ({ database: { db } }: TestShop) => db.selectFrom('session').select('id').execute();

async function getUserId({ database: { db } }: TestShop): Promise<string> {
  return (await db.selectFrom('user').select('id').executeTakeFirstOrThrow()).id;
}

async function expectRejection(response: Response): Promise<void> {
  expect([response.status, response.headers.getSetCookie()]).toEqual([401, []]);
  expect((await readAuthError(response)).code).toBe('SESSIONS_ENDED');
}

type Change = { send: () => Promise<unknown>; list: (shop: TestShop) => Promise<object[]> };

/** Each function prepares a change that ends all older access. `list` reads the rows that the change writes. */
const changes: Record<string, (shop: TestShop, tom: TestUser) => Promise<Change>> = {
  'a new passkey': async (shop, tom) => ({
    send: () => addPasskey(shop, tom, createDevice()),
    list: ({ database: { db } }) => db.selectFrom('passkey').select('id').execute(),
  }),
  async 'new recovery codes'(shop, tom) {
    const { cookie } = await turnOnTwoFactor(shop, tom);
    const form = { password: tom.password };
    return {
      send: () => sendAuthRequest(shop, '/two-factor/generate-backup-codes', form, { cookie }),
      list: ({ database: { db } }) => db.selectFrom('twoFactor').select('backupCodes').execute(),
    };
  },
  '_Sign out everywhere else_': async (shop, tom) => ({
    send: () => sendAuthRequest(shop, '/revoke-other-sessions', {}, cookieHeaders(tom)),
    list: listSessions,
  }),
  'the end of all sessions': async (shop, tom) => ({
    send: () => sendAuthRequest(shop, '/revoke-sessions', {}, cookieHeaders(tom)),
    list: listSessions,
  }),
};

describe.each(engines)('on %s', (engine) => {
  test.each(Object.entries(changes))(
    'nothing changes if older access cannot be ended: %s',
    async (_change, prepare) => {
      await using shop = await startShop({ engine, allowErrorLogs: true });
      const tom = await shop.signUp();
      await shop.signIn(tom.email, tom.password);
      const { send, list } = await prepare(shop, tom);
      const before = await list(shop);
      let isInterrupted = false;
      interruptBefore(shop.database.db, /^delete from "verification" where "value" = /, async () => {
        isInterrupted = true;
        throw new Error('the process was killed');
      });
      await send().catch(() => undefined);
      expect([isInterrupted, await list(shop)]).toEqual([true, before]);
      await send();
      expect(await list(shop)).not.toEqual(before);
    },
  );

  test.each(Object.entries(waysToSignIn))(
    'a password reset ends a sign-in in flight: %s',
    async (_way, prepare) => {
      await using shop = await startShop({ engine });
      const tom = await shop.signUp();
      const signIn = await prepare(shop, tom);
      interruptBefore(shop.database.db, /^insert into "session"/, () => resetPassword(shop, tom));
      await expectRejection(await signIn());
      expect(await listSessions(shop)).toEqual([]);
      expect((await enterPassword(shop, { ...tom, password: newPassword })).response.status).toBe(200);
    },
  );

  test.each(Object.entries(waysToEndSessions))('%s ends a sign-in in flight', async (_way, end) => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const id = await getUserId(shop);
    let left: object[] = [];
    interruptBefore(shop.database.db, /^insert into "session"/, async () => {
      await end(shop, tom, id);
      left = await listSessions(shop);
    });
    await expectRejection((await enterPassword(shop, tom)).response);
    expect(await listSessions(shop)).toEqual(left);
  });

  test('a sign-in in flight while two-factor sign-in is turned on is rejected', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const { secret, enterFirst } = await startTwoFactor(shop, tom);
    let confirmed: Response | undefined;
    interruptBefore(shop.database.db, /^insert into "session"/, async () => {
      confirmed = await enterFirst(computeCode(secret));
    });
    await expectRejection((await enterPassword(shop, tom)).response);
    expect(confirmed?.status).toBe(200);
    const sessions = await shop.database.db.selectFrom('session').select('secondFactor').execute();
    expect(sessions.map(({ secondFactor }) => Boolean(secondFactor))).toEqual([true]);
  });

  test('a password reset ends a sign-in that waits for a code, or is about to wait for one', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const { secret } = await turnOnTwoFactor(shop, tom, 0);
    const { db } = shop.database;
    await db.updateTable('user').set({ emailVerified: true }).execute();
    const waiting = await enterPassword(shop, tom);
    interruptBefore(db, /^insert into "verification"/, () => resetPassword(shop, tom));
    await expectRejection((await enterPassword(shop, tom)).response);
    expect((await enterCode(shop, computeCode(secret, 1), waiting.cookie)).status).toBe(401);
    expect(await listSessions(shop)).toEqual([]);
  });

  test.each([
    ['before it is on', interruptAfter, /^select .* from "twoFactor"/],
    ['once it is on', interruptBefore, /^insert into "session"/],
  ])(
    'a stranger who turns two-factor sign-in on during a reset does not lock the owner out: %s',
    async (_, interrupt, at) => {
      await using shop = await startShop({ engine });
      const eve = await shop.signUp();
      const { db } = shop.database;
      const { secret, enterFirst } = await startTwoFactor(shop, eve);
      interrupt(db, at, () => resetPassword(shop, eve));
      expect((await enterFirst(computeCode(secret))).status).toBe(401);
      expect(await listSessions(shop)).toEqual([]);
      const signedIn = await enterPassword(shop, { ...eve, password: newPassword });
      expect(signedIn.response.status).toBe(200);
      expect(await signedIn.response.json()).not.toHaveProperty('twoFactorRedirect');
    },
  );

  test('a password reset ends the session that opens as two-factor sign-in is turned off', async () => {
    await using shop = await startShop({ engine });
    const eve = await turnOnTwoFactor(shop, await shop.signUp(), 0);
    const { password } = eve;
    interruptBefore(shop.database.db, /^insert into "session"/, () => resetPassword(shop, eve));
    await expectRejection(
      await sendAuthRequest(shop, '/two-factor/disable', { password }, cookieHeaders(eve)),
    );
    expect(await listSessions(shop)).toEqual([]);
  });
});

test.each(['session', 'challenge'])(
  'a new %s waits for a transaction that ends the sessions',
  async (kind) => {
    await using shop = await startShop({ engine: 'postgres' });
    const tom = await shop.signUp();
    if (kind === 'challenge') await turnOnTwoFactor(shop, tom, 0);
    const id = await getUserId(shop);
    const isWaiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
    const [signingIn] = await shop.database.transaction(async (tx) => {
      await endAccess(shop.database, tx, id);
      const sent = enterPassword(shop, tom);
      await waitUntil(async () => expect((await isWaiting.execute(shop.database.db)).rows).toHaveLength(1));
      return [sent];
    });
    await expectRejection((await signingIn).response);
    expect(await listSessions(shop)).toEqual([]);
  },
);
