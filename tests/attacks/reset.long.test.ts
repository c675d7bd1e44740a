import { expect, test } from 'vitest';
import { engines } from '../support/database.ts';
import { deleteMail, readToken, waitForDelivery, waitForLetter } from '../support/letters.ts';
import { sendAuthRequest } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';
import { parseStatuses, sendRaw } from './raw.ts';

test('no request header changes the host of the link in a message', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  await deleteMail(shop);
  const { port } = shop.config;
  const body = JSON.stringify({ email: tom.email });
  const post = (target: string, headers: string) =>
    sendRaw(
      port,
      `POST ${target} HTTP/1.1\r\n${headers}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  const path = '/api/auth/request-password-reset';
  const own = `Host: localhost:${port}\r\nOrigin: ${shop.origin}`;
  for (const [target, headers] of [
    [path, `Host: evil.example\r\nOrigin: ${shop.origin}`],
    [path, `Host: localhost:${port}.evil.example\r\nOrigin: ${shop.origin}`],
    [path, `Host: localhost:${port}@evil.example\r\nOrigin: ${shop.origin}`],
    [path, `Host: localhost:${port}\r\nHost: evil.example\r\nOrigin: ${shop.origin}`],
    [`http://evil.example${path}`, own],
    [`//evil.example${path}`, own],
    [path, `Host: localhost:${port}\r\nOrigin: https://evil.example`],
  ] as const) {
    const [status = 0] = parseStatuses(await post(target, headers));
    expect([target, headers, status >= 400 && status < 500]).toEqual([target, headers, true]);
  }
  expect(await shop.database.db.selectFrom('mail').select('id').execute()).toEqual([]);
  const forwarded = [
    'X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Port: 443',
    'Forwarded: host=evil.example;proto=https',
    'X-Host: evil.example\r\nX-Original-Host: evil.example\r\nX-Original-URL: https://evil.example/\r\nReferer: https://evil.example/',
  ].join('\r\n');
  // The request uses the shop's second origin, but the link leads to the first.
  const second = `Host: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}`;
  expect(parseStatuses(await post(path, `${second}\r\n${forwarded}`))).toEqual([200]);
  const { text, html } = await waitForLetter(shop, tom.email, /^Reset your password$/);
  expect(text).toContain(`${shop.origin}/reset-password?token=`);
  expect(`${text}${html}`).not.toMatch(/evil|127\.0\.0\.1/);
});

test('no field of a request changes the link or the recipient', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  // The sign-up sends a message, too.
  await waitForDelivery(shop);
  const sentBefore = (await shop.inbox.list()).length;
  const extra = {
    redirectTo: 'https://evil.example/',
    callbackURL: '//evil.example',
    to: 'eve@mail.example',
  };
  const request = { email: tom.email, ...extra, recipient: 'eve@mail.example', token: 'chosen' };
  expect((await sendAuthRequest(shop, '/request-password-reset', request)).status).toBe(200);
  for (const email of [
    [tom.email, 'eve@mail.example'],
    { 0: tom.email },
    `${tom.email}\r\nBcc: eve@mail.example`,
    `${tom.email}, eve@mail.example`,
    '',
  ]) {
    const { status } = await sendAuthRequest(shop, '/request-password-reset', { email });
    expect([email, status]).toEqual([email, 400]);
  }
  await waitForDelivery(shop);
  // Newest first.
  const received = (await shop.inbox.list()).slice(0, -sentBefore);
  expect(received.map(({ recipients }) => recipients)).toEqual([tom.email]);
  expect(received[0]?.raw).not.toMatch(/evil|eve@|chosen/);
});

test.each(engines)('sign-ins with the old password during a reset leave no session on %s', async (engine) => {
  await using shop = await startShop({ engine });
  await shop.listen();
  const { email, password } = await shop.signUp();
  await sendAuthRequest(shop, '/request-password-reset', { email });
  const token = await readToken(shop, email, '/reset-password');
  const signIn = () => sendAuthRequest(shop, '/sign-in/email', { email, password });
  const earlier = [1, 2, 3].map(signIn);
  const reset = sendAuthRequest(shop, '/reset-password', { token, newPassword: 'verge-and-foliot' });
  const later = [1, 2, 3, 4, 5].map(signIn);
  expect((await reset).status).toBe(200);
  await Promise.all([...earlier, ...later]);
  expect(await shop.database.db.selectFrom('session').select('id').execute()).toEqual([]);
});
