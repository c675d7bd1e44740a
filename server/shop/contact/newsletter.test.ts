import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { listLetters, waitForDelivery, waitForLetter } from '../../../tests/support/letters.ts';
import { readProblem, sendAuthRequest, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const settings = { NEWSLETTER: 'yes' };
const tom = 'tom@mail.example';

const subscribe = (shop: TestShop, email = tom) => sendCall(shop, 'subscribe', { body: { email } });
const confirm = (shop: TestShop, token: string) => sendCall(shop, 'confirmSubscription', { body: { token } });
const listAddresses = async ({ database }: TestShop) =>
  (await database.db.selectFrom('subscriber').select('email').orderBy('id').execute()).map(
    ({ email }) => email,
  );
const readToken = (text = '') => /newsletter\/\w+\?token=([\w.-]+)/.exec(text)?.[1] ?? expect.unreachable();

async function subscribeAndConfirm(shop: TestShop, email: string): Promise<void> {
  await subscribe(shop, email);
  const letter = await waitForLetter(shop, email, /^Confirm/);
  expect((await confirm(shop, readToken(letter.text))).status).toBe(200);
}

describe.each(engines)('on %s', (engine) => {
  test('an address is listed once its link is confirmed, until it is unsubscribed with one click', async () => {
    await using shop = await startShop({ engine, settings });
    await shop.listen();
    const first = await subscribe(shop);
    expect([first.status, await first.json()]).toEqual([200, { accepted: true }]);
    const letter = await waitForLetter(shop, tom, /^Confirm your newsletter subscription$/);
    expect(await listAddresses(shop)).toEqual([]);
    expect(letter.headers.has('list')).toBe(false);
    const token = readToken(letter.text);
    expect(await (await confirm(shop, token)).json()).toEqual({ modifiedCount: 1 });
    expect(await (await confirm(shop, token)).json()).toEqual({ modifiedCount: 0 });
    expect(await listAddresses(shop)).toEqual([tom]);

    // A known address gets the same response.
    const second = await subscribe(shop);
    expect([second.status, await second.text()]).toEqual([200, '{"accepted":true}']);
    const known = await waitForLetter(shop, tom, /subscribed to our newsletter$/);
    expect(known.headers.get('list')).toMatchObject({
      'unsubscribe-post': { name: 'List-Unsubscribe=One-Click' },
    });
    const url = `${shop.origin}/newsletter/unsubscribe?token=${readToken(known.text)}`;
    expect(known.headers.get('list')).toMatchObject({ unsubscribe: { url } });
    // Mail scanners open links.
    await shop.fetch(new Request(url));
    expect(await listAddresses(shop)).toEqual([tom]);
    // As a mail program posts it: without cookies and an origin.
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    for (const _ of [1, 2])
      expect((await shop.fetch(new Request(url, { method: 'POST', body }))).status).toBe(200);
    expect(await listAddresses(shop)).toEqual([]);
    // The link that subscribed the address cannot do it again.
    expect((await confirm(shop, token)).status).toBe(422);
    expect(await listAddresses(shop)).toEqual([]);
  });

  test('the admin downloads the confirmed addresses, each with its own link to unsubscribe', async () => {
    await using shop = await startShop({ engine, settings });
    const admin = await shop.admin();
    const { db } = shop.database;
    await db
      .insertInto('subscriber')
      .values(
        [tom, '+1@mail.example'].map((email, index) => ({
          id: `${index}`,
          email,
          token: `token-${index}`,
          confirmed_at: 1000,
        })),
      )
      .execute();
    const list = async (query: Record<string, string>) =>
      sendCall(shop, 'listSubscribers', { query, headers: tokenHeaders(admin) });
    expect(await (await list({ limit: '1' })).json()).toEqual([
      {
        _id: '0',
        email: tom,
        confirmedAt: '1970-01-01T00:00:01.000Z',
        unsubscribeUrl: `${shop.origin}/newsletter/unsubscribe?token=token-0`,
      },
    ]);
    const file = await list({ format: 'csv' });
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="newsletter-.*\.csv"$/);
    expect((await file.text()).split('\r\n')).toEqual([
      'Email,Confirmed (UTC),Unsubscribe',
      `${tom},1970-01-01T00:00:01.000Z,${shop.origin}/newsletter/unsubscribe?token=token-0`,
      // A spreadsheet would run it as a formula.
      `'+1@mail.example,1970-01-01T00:00:01.000Z,${shop.origin}/newsletter/unsubscribe?token=token-1`,
      '',
    ]);
  });
});

test('a network address may request three messages per day for an address, and thirty per hour in total', async () => {
  await using shop = await startShop({ settings, rateLimits: { linkRequestsPerAddress: 5 } });
  await shop.listen();
  for (const status of [200, 200, 200, 429]) expect((await subscribe(shop)).status).toBe(status);
  await subscribeAndConfirm(shop, 'nora@mail.example');
  expect(await listLetters(shop, tom)).toHaveLength(3);
  const refused = await readProblem(await subscribe(shop, 'eve@mail.example'));
  expect([refused.status, refused.detail]).toEqual([429, expect.stringMatching(/^Too many requests: wait /)]);
});

test('newsletter requests do not block a password reset', async () => {
  await using shop = await startShop({ settings });
  await shop.listen();
  const ann = await shop.signUp('Ann');
  for (const status of [200, 200, 200, 429]) expect((await subscribe(shop, ann.email)).status).toBe(status);
  await waitForDelivery(shop);
  const subjects = (await listLetters(shop, ann.email)).map(({ subject }) => subject);
  expect(subjects.filter((subject) => /newsletter/.test(subject ?? ''))).toHaveLength(3);
  await sendAuthRequest(shop, '/request-password-reset', { email: ann.email });
  await waitForLetter(shop, ann.email, /^Reset your password$/);
});

test('without the setting, there is no newsletter: 404', async () => {
  await using shop = await startShop();
  expect((await subscribe(shop)).status).toBe(404);
  expect((await confirm(shop, 'x.y')).status).toBe(404);
});
