import { expect, test } from 'vitest';
import { engines } from '../support/database.ts';
import { deleteMail, readToken, waitForDelivery, waitForLetter } from '../support/letters.ts';
import { cookieHeaders, sendAuthRequest, sendRequest } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';
import { parseStatuses, sendRaw } from './raw.ts';

const newPassword = 'verge-and-foliot';

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
  // The shop's second origin: the link still leads to the first.
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

test('opening the link changes nothing, and the page neither stores nor passes on the token', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  await sendAuthRequest(shop, '/request-password-reset', { email: tom.email });
  const token = await readToken(shop, tom.email, '/reset-password');
  const link = `/reset-password?token=${token}`;
  const from = shop.logged.length;
  for (const method of ['GET', 'HEAD', 'GET'])
    for (const headers of [{}, cookieHeaders(tom), { 'accept-encoding': 'br' }]) {
      const response = await sendRequest(shop, method, link, { headers });
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      expect(response.headers.getSetCookie()).toEqual([]);
      // Only the shop's own files.
      expect(response.headers.get('content-security-policy')).not.toMatch(/https?:/);
      if ('accept-encoding' in headers) continue;
      const page = await response.text();
      expect(page).not.toContain(token);
      expect(page).not.toMatch(/<(?:script|img|link|iframe)[^>]*(?:src|href)="(?:https?:)?\/\/(?!localhost)/);
    }
  // Better Auth's own links would act on a GET.
  for (const path of [
    `/reset-password/${token}`,
    `/reset-password?token=${token}`,
    `/verify-email?token=${token}`,
  ])
    expect((await sendAuthRequest(shop, path)).status).toBeGreaterThanOrEqual(404);
  expect((await sendAuthRequest(shop, '/reset-password', { token, newPassword })).status).toBe(200);
  expect((await sendAuthRequest(shop, '/reset-password', { token, newPassword })).status).toBe(400);
  expect(JSON.stringify(shop.logged.slice(from))).not.toContain(token);
  const metrics = await sendRequest(shop, 'GET', '/metrics');
  expect(await metrics.text()).not.toContain(token);
  const failures = await shop.database.db.selectFrom('error_count').selectAll().execute();
  expect(JSON.stringify(failures)).not.toContain(token);
});

test('an unknown token, or one of another length or type, resets nothing', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  for (const token of [
    '',
    'x',
    'a'.repeat(43),
    'a'.repeat(100_000),
    ['a'],
    { $ne: '' },
    null,
    0,
    '%',
    `${tom.email}`,
  ]) {
    const response = await sendAuthRequest(shop, '/reset-password', { token, newPassword });
    expect([400, 413]).toContain(response.status);
  }
  expect(await shop.signIn(tom.email, tom.password)).toHaveProperty('token');
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
