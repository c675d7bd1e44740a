import { expect, test } from 'vitest';
import { deleteMail, readToken, waitForDelivery, waitForLetter } from '../support/letters.ts';
import { cookieHeaders, sendAuthRequest, sendRequest, type TestUser } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';
import { parseStatuses, sendRaw } from './raw.ts';

const newEmail = 'tom@new.example';

test('a stolen session without the password changes nothing', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  await deleteMail(shop);
  const { db } = shop.database;
  const before = await db.selectFrom('user').selectAll().execute();
  const stolen = cookieHeaders(tom);
  for (const password of [undefined, '', 'clockwork', { $ne: '' }, [tom.password], 'x'.repeat(2000)]) {
    const body = { newEmail: 'eve@mail.example', password };
    const { status } = await sendAuthRequest(shop, '/request-email-change', body, stolen);
    expect([password, status >= 400 && status < 500]).toEqual([password, true]);
  }
  // Better Auth's own calls, which would need no password, are not mounted.
  for (const path of ['/update-user', '/change-email'])
    expect((await sendAuthRequest(shop, path, { newEmail, email: newEmail }, stolen)).status).toBe(404);
  expect(await db.selectFrom('user').selectAll().execute()).toEqual(before);
  expect(await db.selectFrom('mail').select('id').execute()).toEqual([]);
});

test('no header or field changes the host of the links or their recipient', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  const { db } = shop.database;
  await db.updateTable('user').set({ emailVerified: true }).execute();
  await waitForDelivery(shop);
  const { port } = shop.config;
  const body = JSON.stringify({
    newEmail,
    password: tom.password,
    callbackURL: 'https://evil.example/',
    to: 'eve@mail.example',
    recipient: 'eve@mail.example',
    token: 'chosen',
    userId: 'chosen',
    email: 'eve@mail.example',
  });
  const post = (headers: string) =>
    sendRaw(
      port,
      `POST /api/auth/request-email-change HTTP/1.1\r\n${headers}\r\nCookie: ${tom.cookie}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  for (const headers of [
    `Host: evil.example\r\nOrigin: ${shop.origin}`,
    `Host: localhost:${port}@evil.example\r\nOrigin: ${shop.origin}`,
    `Host: localhost:${port}\r\nOrigin: https://evil.example`,
  ]) {
    const [status = 0] = parseStatuses(await post(headers));
    expect([headers, status >= 400 && status < 500]).toEqual([headers, true]);
  }
  const forwarded =
    'X-Forwarded-Host: evil.example\r\nX-Host: evil.example\r\nForwarded: host=evil.example\r\nReferer: https://evil.example/';
  // The request uses the shop's second origin, but the links lead to the first.
  const second = `Host: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}`;
  expect(parseStatuses(await post(`${second}\r\n${forwarded}`))).toEqual([200]);
  const link = await waitForLetter(shop, newEmail, /^Confirm your new email address$/);
  const token = await readToken(shop, newEmail, '/change-address');
  const response = await sendAuthRequest(shop, '/confirm-email-change', { token }, cookieHeaders(tom));
  expect(response.status).toBe(200);
  const notice = await waitForLetter(shop, tom.email, /^The email address of your account was changed$/);
  expect(link.text).toContain(`${shop.origin}/change-address?token=`);
  expect(notice.text).toContain(`${shop.origin}/reset-password?token=`);
  for (const { text, html } of [link, notice]) expect(`${text}${html}`).not.toMatch(/evil|127\.0\.0\.1/);
  const recipients = (await shop.inbox.list()).map((message) => message.recipients);
  expect(new Set(recipients)).toEqual(new Set([newEmail, tom.email]));
});

test('requests for a reset by an intruder do not end the link that undoes a change of address', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUpConfirmed();
  const headers = cookieHeaders(tom);
  await sendAuthRequest(shop, '/request-email-change', { newEmail, password: tom.password }, headers);
  const token = await readToken(shop, newEmail, '/change-address');
  expect((await sendAuthRequest(shop, '/confirm-email-change', { token }, headers)).status).toBe(200);
  const undo = await readToken(shop, tom.email, '/reset-password');
  await sendAuthRequest(shop, '/request-password-reset', { email: tom.email });
  await sendAuthRequest(shop, '/request-password-reset', { email: newEmail });
  await waitForDelivery(shop);
  const form = { token: undo, newPassword: 'verge-and-foliot' };
  expect((await sendAuthRequest(shop, '/reset-password', form)).status).toBe(200);
  expect((await sendAuthRequest(shop, '/reset-password', form)).status).toBe(400);
});

test('the link’s page shows the new address only to the user who requested it, whatever the link says', async () => {
  await using shop = await startShop();
  await shop.listen();
  const [tom, eve] = [await shop.signUp(), await shop.signUp('Eve')];
  const form = { newEmail, password: tom.password };
  await sendAuthRequest(shop, '/request-email-change', form, cookieHeaders(tom));
  const token = await readToken(shop, newEmail, '/change-address');
  const open = async (person: TestUser, query: string) =>
    (await sendRequest(shop, 'GET', `/change-address?${query}`, { headers: cookieHeaders(person) })).text();
  expect(await open(tom, `token=${token}`)).toContain(newEmail);
  expect(await open(eve, `token=${token}`)).not.toContain(newEmail);
  const chosen = 'bank@evil.example';
  for (const query of [
    `token=${chosen}`,
    `token=x&to=${chosen}&email=${chosen}&requestedEmail=${chosen}&newEmail=${chosen}`,
  ])
    expect(await open(tom, query)).not.toContain(chosen);
});
