import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../contract/durations.ts';
import { engines } from '../support/database.ts';
import { readToken, waitForDelivery } from '../support/letters.ts';
import { cookieHeaders, sendAuthRequest, sendCall, sendRequest, type TestUser } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';

/* Attacks on the links in messages: each row is a link, each test below an attack. */

type Link = {
  name: string;
  page: string;
  /** Whether the page and the call need a session of the user who received the link. */
  needsSession: boolean;
  /** Whether the shop forgets the token when the link is used. */
  isUsedOnce: boolean;
  /** Undefined for a link that does not expire. The shop stores the token of such a link. */
  lifetimeMs?: number;
  /** Whether the link still works after the user has set a new password, and after the address of the account has changed. */
  outlives: { newPassword: boolean; newAddress: boolean };
  /** Sends the message, and returns the token in it. */
  send: (shop: TestShop, person: TestUser) => Promise<string>;
  use: (shop: TestShop, token: unknown, headers?: Record<string, string>) => Promise<Response>;
  isDone: (shop: TestShop, person: TestUser) => Promise<boolean>;
};

const newPassword = 'verge-and-foliot';
const otherPassword = 'pallet-and-impulse';
const newAddressOf = ({ email }: TestUser) => `new-${email}`;

const findUser = ({ database: { db } }: TestShop, email: string) =>
  db.selectFrom('user').selectAll().where('email', '=', email).executeTakeFirst();

const resetPassword: Link['use'] = (shop, token) =>
  sendAuthRequest(shop, '/reset-password', { token, newPassword });

const resetLink: Link = {
  name: 'reset password',
  page: '/reset-password',
  needsSession: false,
  isUsedOnce: true,
  lifetimeMs: hourMs,
  outlives: { newPassword: false, newAddress: false },
  async send(shop, { email }) {
    await sendAuthRequest(shop, '/request-password-reset', { email });
    return readToken(shop, email, '/reset-password');
  },
  use: resetPassword,
  async isDone(shop, { email }) {
    const form = { email, password: newPassword };
    return (await sendAuthRequest(shop, '/sign-in/email', form)).status === 200;
  },
};

const addressLink: Link = {
  name: 'confirm address',
  page: '/confirm-address',
  needsSession: true,
  isUsedOnce: true,
  lifetimeMs: hourMs,
  outlives: { newPassword: true, newAddress: false },
  async send(shop, person) {
    // Wait for the link that the sign-up sends, so that the link sent below is the newest.
    await waitForDelivery(shop);
    await sendAuthRequest(shop, '/send-verification-email', {}, cookieHeaders(person));
    return readToken(shop, person.email, '/confirm-address');
  },
  use: (shop, token, headers) => sendAuthRequest(shop, '/verify-email', { token }, headers),
  isDone: async (shop, { email }) => Boolean((await findUser(shop, email))?.emailVerified),
};

const changeLink: Link = {
  name: 'change address',
  page: '/change-address',
  needsSession: true,
  isUsedOnce: true,
  lifetimeMs: hourMs,
  outlives: { newPassword: false, newAddress: false },
  async send(shop, person) {
    const newEmail = newAddressOf(person);
    const form = { newEmail, password: person.password };
    await sendAuthRequest(shop, '/request-email-change', form, cookieHeaders(person));
    return readToken(shop, newEmail, '/change-address');
  },
  use: (shop, token, headers) => sendAuthRequest(shop, '/confirm-email-change', { token }, headers),
  isDone: async (shop, person) => (await findUser(shop, newAddressOf(person))) !== undefined,
};

/** Changes the address of an account. */
async function changeAddress(shop: TestShop, person: TestUser): Promise<void> {
  const token = await changeLink.send(shop, person);
  const { status } = await changeLink.use(shop, token, cookieHeaders(person));
  expect(status).toBe(200);
}

const undoLink: Link = {
  name: 'undo address change',
  page: '/reset-password',
  needsSession: false,
  isUsedOnce: true,
  lifetimeMs: 7 * dayMs,
  outlives: { newPassword: true, newAddress: true },
  async send(shop, person) {
    const { db } = shop.database;
    await db.updateTable('user').set({ emailVerified: true }).where('email', '=', person.email).execute();
    await changeAddress(shop, person);
    return readToken(shop, person.email, '/reset-password');
  },
  use: resetPassword,
  isDone: async (shop, { email }) => (await findUser(shop, email)) !== undefined,
};

const countSubscribers = async ({ database: { db } }: TestShop, email: string) =>
  (await db.selectFrom('subscriber').select('token').where('email', '=', email).execute()).length;

const subscribeLink: Link = {
  name: 'confirm subscription',
  page: '/newsletter/confirm',
  needsSession: false,
  isUsedOnce: false,
  lifetimeMs: 3 * dayMs,
  outlives: { newPassword: true, newAddress: true },
  async send(shop, { email }) {
    await sendCall(shop, 'subscribe', { body: { email } });
    return readToken(shop, email, '/newsletter/confirm');
  },
  use: (shop, token) => sendCall(shop, 'confirmSubscription', { body: { token } }),
  isDone: async (shop, { email }) => (await countSubscribers(shop, email)) === 1,
};

/** Posted by a mail program, or by another site. The response does not say whether the token is known. */
const postOneClick =
  (page: string): Link['use'] =>
  (shop, token, headers = {}) =>
    shop.fetch(
      new Request(`${shop.origin}${page}?${new URLSearchParams({ token: String(token) })}`, {
        method: 'POST',
        headers: { ...headers, origin: 'https://evil.example' },
        body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      }),
    );

const unsubscribeLink: Link = {
  name: 'unsubscribe',
  page: '/newsletter/unsubscribe',
  needsSession: false,
  isUsedOnce: false,
  outlives: { newPassword: true, newAddress: true },
  async send(shop, person) {
    await subscribeLink.use(shop, await subscribeLink.send(shop, person));
    await sendCall(shop, 'subscribe', { body: { email: person.email } });
    return readToken(shop, person.email, '/newsletter/unsubscribe');
  },
  use: postOneClick('/newsletter/unsubscribe'),
  isDone: async (shop, { email }) => (await countSubscribers(shop, email)) === 0,
};

const links = [resetLink, addressLink, changeLink, undoLink, subscribeLink, unsubscribeLink];

describe.each(engines.flatMap((engine) => links.map((link) => ({ engine, link, name: link.name }))))(
  'the link to $name, on $engine',
  ({ engine, link }) => {
    const { page, send, use, isDone, needsSession, lifetimeMs } = link;
    let shop: TestShop;

    beforeAll(async () => {
      const unlimited = 1_000_000;
      shop = await startShop({
        engine,
        settings: { NEWSLETTER: 'yes' },
        rateLimits: {
          signUpsPerAddress: unlimited,
          signInsPerAddress: unlimited,
          signInsPerAddressAndEmail: unlimited,
          linkRequestsPerAddress: unlimited,
        },
      });
      await shop.listen();
    });
    afterAll(() => shop.close());

    /** Signs up a new user and sends them the link. */
    async function receive() {
      const person = await shop.signUp();
      const token = await send(shop, person);
      const headers = needsSession ? cookieHeaders(person) : {};
      return {
        person,
        token,
        headers,
        use: () => use(shop, token, headers),
        isDone: () => isDone(shop, person),
        async expectWorks() {
          expect((await use(shop, token, headers)).status).toBeLessThan(400);
          expect(await isDone(shop, person)).toBe(true);
        },
        async expectDead() {
          const response = await use(shop, token, headers);
          if (lifetimeMs !== undefined) expect(response.status).toBeGreaterThanOrEqual(400);
          expect(await isDone(shop, person)).toBe(false);
        },
      };
    }

    test('changes nothing when it is opened, and its page neither stores nor passes on the token', async () => {
      const { token, headers, isDone, expectWorks } = await receive();
      const from = shop.logged.length;
      for (const method of ['GET', 'HEAD']) {
        const response = await sendRequest(shop, method, `${page}?token=${token}`, { headers });
        expect(response.status).toBe(200);
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(response.headers.get('referrer-policy')).toBe('no-referrer');
        expect(response.headers.getSetCookie()).toEqual([]);
        // Only the shop's own files.
        expect(response.headers.get('content-security-policy')).not.toMatch(/https?:/);
        const text = await response.text();
        expect(text).not.toContain(token);
        expect(text).not.toMatch(
          /<(?:script|img|link|iframe)[^>]*(?:src|href)="(?:https?:)?\/\/(?!localhost)/,
        );
      }
      if (needsSession) {
        const signedOut = await sendRequest(shop, 'GET', `${page}?token=${token}`);
        const from = encodeURIComponent(`${page}?token=${token}`);
        expect([signedOut.status, signedOut.headers.get('location')]).toEqual([302, `/login?from=${from}`]);
      }
      // Better Auth's own links would act on a GET.
      for (const path of ['/reset-password/', '/reset-password?token=', '/verify-email?token='])
        expect((await sendAuthRequest(shop, path + token, undefined, headers)).status).toBeGreaterThanOrEqual(
          404,
        );
      expect(await isDone()).toBe(false);
      await expectWorks();
      const metrics = await (await sendRequest(shop, 'GET', '/metrics')).text();
      const failures = await shop.database.db.selectFrom('error_count').selectAll().execute();
      for (const text of [JSON.stringify(shop.logged.slice(from)), metrics, JSON.stringify(failures)])
        expect(text).not.toContain(token);
    });

    test('works once, even if it is used several times at once', async () => {
      const { use, isDone } = await receive();
      const responses = await Promise.all([use(), use(), use()]);
      const statuses = responses.map(({ status }) => status).toSorted();
      const { length } = statuses.filter((status) => status < 400);
      expect(length).toBe(link.isUsedOnce ? 1 : 3);
      expect(await isDone()).toBe(true);
      // The link signs nobody in.
      for (const { headers } of responses)
        expect(headers.getSetCookie().join()).not.toMatch(/session_token=\w/);
      if (!link.isUsedOnce) return;
      const again = await use();
      expect([again.status, await again.json()]).toEqual([
        400,
        { code: 'INVALID_TOKEN', message: 'This link has expired or has already been used.' },
      ]);
    });

    test.skipIf(lifetimeMs === undefined)('works until it expires', async () => {
      const { expectDead, expectWorks } = await receive();
      const { db } = shop.database;
      const row = await db
        .selectFrom('verification')
        .selectAll()
        .orderBy('createdAt', 'desc')
        .where('id', 'like', `${link.name}%`)
        .executeTakeFirstOrThrow();
      const end = new Date(row.expiresAt).getTime();
      expect(end).toBeGreaterThan(Date.now() + (lifetimeMs ?? 0) - 5 * 60_000);
      expect(end).toBeLessThanOrEqual(Date.now() + (lifetimeMs ?? 0));
      const setEnd = (at: number) =>
        db
          .updateTable('verification')
          .set({ expiresAt: new Date(at) })
          .where('id', '=', row.id)
          .execute();
      await setEnd(Date.now() - 1);
      await expectDead();
      await setEnd(end);
      await expectWorks();
    });

    test.skipIf(link === undoLink || link === unsubscribeLink)(
      'stops working when a newer link is sent',
      async () => {
        const { person, expectDead, headers } = await receive();
        const newer = await send(shop, person);
        await expectDead();
        expect((await use(shop, newer, headers)).status).toBe(200);
      },
    );

    test('does nothing with another token, or one of another length or type', async () => {
      const { person, token, headers, isDone, expectWorks } = await receive();
      const { db } = shop.database;
      const stored = await db.selectFrom('verification').select(['id', 'identifier', 'value']).execute();
      const flipped = (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
      for (const wrong of [
        flipped,
        token.slice(1),
        `${token}A`,
        `${token}\0`,
        '',
        '%',
        '\0',
        "' or 1=1",
        'a'.repeat(43),
        'a'.repeat(100_000),
        [token],
        { $ne: '' },
        null,
        0,
        person.email,
        // The stored hashes are no tokens.
        ...stored.flatMap(({ id, identifier, value }) => [id, identifier, value]),
      ]) {
        if (lifetimeMs === undefined && Array.isArray(wrong)) continue;
        const { status } = await use(shop, wrong, headers);
        if (lifetimeMs !== undefined)
          expect([wrong, [400, 413, 422].includes(status)]).toEqual([wrong, true]);
        expect([wrong, await isDone()]).toEqual([wrong, false]);
      }
      await expectWorks();
    });

    test('does nothing elsewhere: each token has one purpose', async () => {
      const { person, token, isDone, expectWorks } = await receive();
      for (const other of links) {
        if (other === link || (other.use === use && link.lifetimeMs)) continue;
        const wasDone = await other.isDone(shop, person);
        await other.use(shop, token, cookieHeaders(person));
        expect([other.name, await other.isDone(shop, person)]).toEqual([other.name, wasDone]);
      }
      expect(await isDone()).toBe(false);
      await expectWorks();
    });

    test.skipIf(!needsSession)('does nothing for a visitor or another user', async () => {
      const { token, isDone, expectWorks } = await receive();
      const eve = await shop.signUp('Eve');
      expect((await use(shop, token)).status).toBe(401);
      expect((await use(shop, token, cookieHeaders(eve))).status).toBe(400);
      expect([await isDone(), await link.isDone(shop, eve)]).toEqual([false, false]);
      await expectWorks();
    });

    test.each(['change', 'reset'] as const)(
      `works after a %s of the password: ${link.outlives.newPassword}`,
      async (how) => {
        const { person, token } = await receive();
        const email = link === undoLink ? newAddressOf(person) : person.email;
        if (how === 'change')
          await sendAuthRequest(
            shop,
            '/change-password',
            { currentPassword: person.password, newPassword: otherPassword },
            cookieHeaders(person),
          );
        else await resetTo(shop, email, otherPassword);
        const again = await shop.signIn(email, otherPassword);
        await use(shop, token, needsSession ? cookieHeaders(again) : {});
        expect(await isDone(shop, person)).toBe(link.outlives.newPassword);
      },
    );

    test.skipIf(link.outlives.newAddress || link === changeLink)(
      'ends when the address of the account changes',
      async () => {
        const { person, use } = await receive();
        await changeAddress(shop, person);
        expect((await use()).status).toBe(400);
      },
    );

    test.skipIf(link === unsubscribeLink)('ends with the account', async () => {
      const { person, expectDead } = await receive();
      const email = link === undoLink ? newAddressOf(person) : person.email;
      const body = { password: person.password };
      await shop.client(person).call('deleteUser', { params: { email }, body });
      await expectDead();
    });

    test.skipIf(lifetimeMs === undefined)('has a token that is not in the database', async () => {
      const { person, token } = await receive();
      await waitForDelivery(shop);
      const { db } = shop.database;
      const stored = JSON.stringify([
        await db.selectFrom('verification').selectAll().execute(),
        await db.selectFrom('mail').selectAll().execute(),
        await db.selectFrom('mail_attempt').selectAll().execute(),
      ]);
      expect(stored).toContain(person.email);
      expect(stored).not.toContain(token);
    });
  },
);

async function resetTo(shop: TestShop, email: string, password: string): Promise<void> {
  const token = await resetLink.send(shop, { email, name: '', password, cookie: '', token: '' });
  const response = await sendAuthRequest(shop, '/reset-password', { token, newPassword: password });
  expect(response.status).toBe(200);
}
