import { describe, expect, test } from 'vitest';
import { apiBase } from '../../contract/paths.ts';
import { engines } from '../support/database.ts';
import { listLetters, waitForDelivery, waitForLetter } from '../support/letters.ts';
import {
  readSetCookies,
  sendAuthRequest,
  sendCall,
  type TestUser,
  tokenHeaders,
} from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';

const password = 'anchor-escapement';
const owner = 'tom@mail.example';
/** An address in a stranger's network. */
const toNetwork = (at: number) => `198.51.100.${at}`;
const home = '192.0.2.1';

/** Posts to a call from a network address. */
async function post(shop: TestShop, from: string, path: string, body: object, cookie = '') {
  const request = new Request(`${shop.origin}${apiBase}${path}`, {
    method: 'POST',
    headers: { origin: shop.origin, 'content-type': 'application/json', ...(cookie ? { cookie } : {}) },
    body: JSON.stringify(body),
  });
  return shop.fetchFromAddress(request, from);
}

async function signUp(shop: TestShop, from: string, email: string): Promise<string> {
  const response = await post(shop, from, '/auth/sign-up/email', { name: 'Eve', email, password });
  expect([email, response.status]).toEqual([email, 200]);
  return readSetCookies(response);
}

const confirm = ({ database: { db } }: TestShop, email: string) =>
  db.updateTable('user').set({ emailVerified: true }).where('email', '=', email).execute();

async function listSubjects(shop: TestShop, to: string): Promise<(string | undefined)[]> {
  await waitForDelivery(shop);
  return (await listLetters(shop, to)).map(({ subject }) => subject);
}

/** Changes the password `times` times. */
async function changePassword(shop: TestShop, from: string, cookie: string, times: number): Promise<void> {
  let [current, session] = [password, cookie];
  for (let change = 1; change <= times; change++) {
    const newPassword = `verge-and-foliot-${change}`;
    const form = { currentPassword: current, newPassword };
    const response = await post(shop, from, '/auth/change-password', form, session);
    expect(response.status).toBe(200);
    [current, session] = [newPassword, readSetCookies(response)];
  }
}

describe.each(engines)('on %s', (engine) => {
  test('strangers’ requests for one kind of link use up neither the owner’s requests nor the limits of other kinds', async () => {
    await using shop = await startShop({ engine, settings: { NEWSLETTER: 'yes' } });
    await shop.listen();
    const cookie = await signUp(shop, home, owner);
    const eve = toNetwork(1);
    for (const [path, body] of [
      ['/auth/request-password-reset', { email: owner }],
      ['/newsletter', { email: owner }],
    ] as const) {
      const statuses = [];
      for (let sent = 0; sent < 5; sent++) statuses.push((await post(shop, eve, path, body)).status);
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
    }
    await waitForDelivery(shop);
    for (const subject of [/^Confirm your email address$/, /^Reset your password$/, /^Confirm your news/])
      await waitForLetter(shop, owner, subject);
    const before = (await listSubjects(shop, owner)).length;

    expect((await post(shop, home, '/auth/send-verification-email', {}, cookie)).status).toBe(200);
    expect((await post(shop, home, '/auth/request-password-reset', { email: owner })).status).toBe(200);
    expect((await post(shop, home, '/newsletter', { email: owner })).status).toBe(200);
    const subjects = await listSubjects(shop, owner);
    // The newest come first.
    expect(subjects.slice(0, -before).sort()).toEqual([
      'Confirm your email address',
      'Confirm your newsletter subscription',
      'Reset your password',
    ]);
  });

  test('unconfirmed variants of an address share the limits on messages, and a confirmed address has limits of its own', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const ownCookie = await signUp(shop, home, owner);
    await confirm(shop, owner);
    const variants = ['tom+1@mail.example', 'tom+2@mail.example', 'Tom+3@MAIL.example', 'tom+@mail.example'];
    for (const [index, email] of variants.entries()) {
      const cookie = await signUp(shop, toNetwork(index), email);
      await changePassword(shop, toNetwork(index), cookie, 2);
    }
    await waitForDelivery(shop);
    const subjects = await Promise.all(variants.map((email) => listSubjects(shop, email.toLowerCase())));
    const changes = subjects.flat().filter((subject) => subject === 'Your password was changed');
    expect(changes).toHaveLength(3);
    // The owner of the confirmed address still gets a notice.
    await changePassword(shop, home, ownCookie, 1);
    await waitForLetter(shop, owner, /^Your password was changed$/);
  });

  test('all unconfirmed variants of an address together get ten links an hour, and a confirmed address has its own limit', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    for (let index = 0; index < 6; index++)
      for (const tag of ['a', 'b', 'c'])
        await signUp(shop, toNetwork(index), `tom+${index}${tag}@mail.example`);
    await signUp(shop, home, owner);
    await waitForDelivery(shop);
    expect(await shop.inbox.list()).toHaveLength(10);
    await confirm(shop, owner);
    for (let index = 0; index < 5; index++)
      for (const tag of ['a', 'b', 'c'])
        await post(shop, toNetwork(index), '/auth/request-password-reset', {
          email: `tom+${index}${tag}@mail.example`,
        });
    await waitForDelivery(shop);
    expect(await shop.inbox.list()).toHaveLength(20);
    expect((await post(shop, home, '/auth/request-password-reset', { email: owner })).status).toBe(200);
    expect(await listSubjects(shop, owner)).toContain('Reset your password');
  });

  test('strangers do not use up the contact form', async () => {
    await using shop = await startShop({ engine, settings: { CONTACT_EMAIL: 'shop@mail.example' } });
    const message = { email: 'eve@mail.example', message: 'Buy pills!' };
    const count = async (from: string, times: number) => {
      const statuses = [];
      for (let sent = 0; sent < times; sent++)
        statuses.push((await post(shop, from, '/contact', message)).status);
      return statuses.filter((status) => status === 200).length;
    };
    for (let index = 1; index <= 15; index++) expect(await count(toNetwork(index), 7)).toBe(5);
    // These networks have used up the common limit of 60 messages. The first message of each sender does not count towards it.
    expect(await count(toNetwork(16), 5)).toBe(1);
    expect(await count(home, 2)).toBe(1);
    const tom = await shop.signUpConfirmed();
    const send = (person: TestUser) =>
      sendCall(shop, 'sendContactMessage', { body: message, headers: tokenHeaders(person) });
    for (let sent = 0; sent < 5; sent++) expect((await send(tom)).status).toBe(200);
    expect((await send(tom)).status).toBe(429);
  });
});

const invalidAddresses = [
  'victim@mail.example>',
  '<victim@mail.example',
  'victim>@mail.example',
  'vic\u200Btim@mail.example',
  'victim\u00AD@mail.example',
  'victim@mail\u200D.example',
  'victim@ma\u3164il.example',
  'victim@mail.example\uFE0F',
  'ｖictim@mail.example',
  'victim@ｍail.example',
  'victim@mail.example.',
  'victim@mail..example',
  '.victim@mail.example',
  'victim@mail.example/x.yz',
  'victim@mail.example:25',
  'victim@127.0.0.1',
  '"victim"@mail.example',
  'víctim@mail.example',
  `${'v'.repeat(65)}@mail.example`,
  `victim@${'m'.repeat(64)}.example`,
  'victim@-mail.example',
  'victim@mail.e',
  'victim@mail.123',
  // Labels that are not Punycode, that decode to ASCII or to a joiner, and a top-level domain that is not Punycode.
  'victim@xn--a.example',
  'victim@xn--mail-.example',
  'victim@xn--1ug.example',
  'victim@mail.xn--zz',
];

test('sign-up, a change of address, contact and newsletter accept only valid addresses', async () => {
  await using shop = await startShop({
    settings: { CONTACT_EMAIL: 'shop@mail.example', NEWSLETTER: 'yes' },
  });
  await shop.listen();
  const tom = await shop.signUp();
  await waitForDelivery(shop);
  const before = (await shop.inbox.list()).length;
  for (const email of invalidAddresses) {
    const form = { name: 'Eve', email, password };
    const responses = [
      await sendAuthRequest(shop, '/sign-up/email', form),
      await sendAuthRequest(
        shop,
        '/request-email-change',
        { newEmail: email, password: tom.password },
        { cookie: tom.cookie },
      ),
      await sendCall(shop, 'sendContactMessage', { body: { email, message: 'Hello' } }),
      await sendCall(shop, 'subscribe', { body: { email } }),
    ];
    expect([email, ...responses.map(({ status }) => status)]).toEqual([email, 400, 400, 422, 422]);
    for (const response of responses) expect(await response.text()).toContain('Provide a valid Email');
  }
  await waitForDelivery(shop);
  expect(await shop.inbox.list()).toHaveLength(before);
});

const internationalAddresses = [
  {
    stored: 'tom@xn--uhrmacher-mnchen-tzb.example',
    typed: ['Tom@Uhrmacher-München.example', 'tom@uhrmacher-mu\u0308nchen.example'],
  },
  { stored: 'tom@xn--80a1acny.xn--p1ai', typed: ['Tom@ПОЧТА.РФ', 'tom@почта.xn--p1ai'] },
  { stored: 'tom@mail.xn--fiqs8s', typed: ['tom@mail.中国'] },
].flatMap((address) => engines.map((engine) => ({ engine, ...address })));

test.each(internationalAddresses)(
  '$stored is stored and used in Punycode, however it is typed, on $engine',
  async ({ engine, ...address }) => {
    await using shop = await startShop({ engine, settings: { CONTACT_EMAIL: 'shop@mail.example' } });
    await shop.listen();
    const { stored } = address;
    const typed = [...address.typed, stored];
    // The stand-in shows recipients with their Unicode domain.
    const first = address.typed[0] ?? '';
    const shown = first.toLowerCase();
    await signUp(shop, home, first);
    const users = shop.database.db.selectFrom('user').select('email');
    expect(await users.execute()).toEqual([{ email: stored }]);
    await waitForLetter(shop, shown, /^Confirm your email address$/);
    for (const email of typed) {
      expect((await sendAuthRequest(shop, '/sign-in/email', { email, password })).status).toBe(200);
      const again = await sendAuthRequest(shop, '/sign-up/email', { name: 'Eve', email, password });
      expect(again.status).toBe(422);
      await sendAuthRequest(shop, '/request-password-reset', { email });
    }
    expect(await listSubjects(shop, shown)).toHaveLength(1 + typed.length);
    const wrong = { email: stored, password: 'verge-and-foliot' };
    expect((await sendAuthRequest(shop, '/sign-in/email', wrong)).status).toBe(401);
    const { cookie, email } = await shop.signIn(stored, password);
    expect(email).toBe(stored);
    const change = { newEmail: 'tom@例え.example', password };
    expect((await sendAuthRequest(shop, '/request-email-change', change, { cookie })).status).toBe(200);
    await waitForLetter(shop, 'tom@例え.example', /^Confirm your new email address$/);
  },
);

test('an account with an address that is no longer accepted keeps signing in', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const old = `${'x'.repeat(260)}@mail.example`;
  await shop.database.db.updateTable('user').set({ email: old }).execute();
  const form = { email: old, password: tom.password };
  expect((await sendAuthRequest(shop, '/sign-in/email', form)).status).toBe(200);
});
