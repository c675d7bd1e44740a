import { expect, test } from 'vitest';
import { makeFolder } from '../support/database.ts';
import { cookieHeaders, sendRequest } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';
import { parseStatuses, sendRaw } from './raw.ts';

const foreignUrls = [
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/%5cevil.example',
  '/%09/evil.example',
  '/.//evil.example',
  '/;@evil.example',
  'https://evil.example',
  'javascript:alert(1)',
];

test('no URL of the shop redirects to another site', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  const requests: [string, string, Record<string, string>][] = [];
  for (const to of foreignUrls) {
    const encoded = encodeURIComponent(to);
    for (const headers of [{}, cookieHeaders(tom)]) {
      requests.push(
        ['GET', `/login?from=${encoded}`, headers],
        ['GET', `/signup?from=${encoded}`, headers],
        ['GET', `/dashboard?from=${encoded}&next=${encoded}&url=${encoded}`, headers],
        ['GET', `/login?reason=admin&from=${encoded}`, headers],
        ['GET', `/api/auth/callback/google?error=x&state=${encoded}&callbackURL=${encoded}`, headers],
      );
      if (!to.startsWith('/')) continue;
      // Put the URL into the path itself, for pages that require sign-in, forms without JavaScript, URLs with an extra slash.
      for (const path of [to, `/dashboard${to}`, `${to}/..`, `${to}/dashboard`, `/products${to}/`])
        requests.push(['GET', path, headers], ['POST', path, headers]);
    }
  }
  for (const [method, path, headers] of requests) {
    const response = await sendRequest(shop, method, path, { headers });
    expect([path, response.status]).toEqual([path, expect.toSatisfy((status: number) => status < 500)]);
    const location = response.headers.get('location');
    if (location === null) continue;
    const { origin } = new URL(location, `${shop.origin}${new URL(shop.origin + path).pathname}`);
    expect([method, path, location, origin]).toEqual([method, path, location, shop.origin]);
    expect(response.headers.get('refresh')).toBeNull();
  }
});

test('no input becomes a response header', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  await shop.addProduct();
  await shop.addProduct();
  for (const lines of [
    '%0d%0aSet-Cookie:%20evil=1',
    '%0aevil:%201',
    '%E5%98%8A%E5%98%8Devil:%201',
    '%00evil',
  ]) {
    for (const [method, path] of [
      ['GET', `/login?from=/${lines}`],
      ['GET', `/dashboard/${lines}`],
      ['GET', `/dashboard?a=${lines}`],
      ['POST', `/${lines}`],
      ['GET', `/api/products?limit=1&x=${lines}`],
      ['GET', `/images/${lines}`],
      ['GET', `/api/auth/callback/google?error=${lines}`],
    ] as const) {
      for (const headers of [{}, cookieHeaders(tom)]) {
        const response = await sendRequest(shop, method, path, { headers });
        expect([path, response.status]).toEqual([path, expect.toSatisfy((status: number) => status < 500)]);
        for (const [name, value] of response.headers) {
          expect([path, name]).not.toEqual([path, 'evil']);
          expect([path, name, /[\r\n]/.test(value)]).toEqual([path, name, false]);
        }
        expect(response.headers.getSetCookie().filter((cookie) => cookie.includes('evil'))).toEqual([]);
      }
    }
  }
});

test('no path reaches a private file, and none bypasses authorization', async () => {
  const DATA_DIR = makeFolder();
  await using shop = await startShop({ settings: { DATA_DIR } });
  await shop.listen();
  const { port } = shop.config;
  // Sent as raw text, because an HTTP client would normalize the path.
  const read = (path: string) =>
    sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`);
  const up = ['..', '%2e%2e', '.%2e', '..%2f', '%2e%2e%2f', '..%5c', '..\\', '%252e%252e', '..;', '....'];
  const files = [
    'package.json',
    'manifest.json',
    'data/shop.db',
    '.git/config',
    'etc/passwd',
    'server/main.ts',
  ];
  for (const step of up) {
    for (const file of files) {
      for (const base of ['', '/static', '/static/js', '/images', '/api', '/sandbox/stripe/v3']) {
        const path = `${base}/${`${step}/`.repeat(6)}${file}`;
        const response = await read(path);
        expect([path, parseStatuses(response)]).toEqual([
          path,
          [expect.toSatisfy((status: number) => status !== 200 && status < 500)],
        ]);
        expect(response).not.toMatch(/"private": true|SQLite format|\[core\]|root:x:|readConfig/);
      }
    }
  }
  for (const path of [
    '/.git/HEAD',
    '/package.json',
    '/manifest.json',
    '/static',
    '/static/',
    '/static/js/',
    '/data/shop.db',
    '/.env',
    '/static/js/.',
    '/%00',
    '/static/%00.js',
  ])
    expect([path, parseStatuses(await read(path))]).toEqual([path, [404]]);
  for (const path of [
    '/api//order',
    '/api/order/',
    '/api/./order',
    '/api/x/../order',
    '/api/%6frder',
    '/api/order%2f',
    '//api/order',
    '/api/order;a=b',
    '/api/order%00',
    '/api/order?',
    '/api/order#',
    '/API/order',
    '/api\\order',
    '/api/user',
    '/api/user?x=/api/products',
    '/api/unknown-payments',
    '/dashboard/',
    '//dashboard',
    '/dashboard/./users',
  ]) {
    const response = await read(path);
    expect([path, parseStatuses(response)]).toEqual([
      path,
      [expect.toSatisfy((status: number) => status !== 200 && status < 500)],
    ]);
  }
});

test('a URL that cannot be decoded is rejected and not logged', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const undecodable = ['%zz', '%', '%ff', '%c3%28', '%e0%80%80', '%f4%90%80%80', '%ed%a0%80', '%u0041'];
  const prefixes = [
    '',
    '/dashboard',
    '/purchase',
    '/images',
    '/static',
    '/api',
    '/api/products',
    '/api/auth',
  ];
  const personal = 'someone@example.com';
  for (const malformed of undecodable) {
    for (const prefix of prefixes) {
      for (const path of [`${prefix}/${malformed}/${personal}`, `${prefix}/${personal}${malformed}`]) {
        for (const headers of [{}, cookieHeaders(tom)]) {
          const { status } = await sendRequest(shop, 'GET', path, { headers });
          expect([path, status]).toEqual([
            path,
            expect.toSatisfy((code: number) => code >= 300 && code < 500),
          ]);
        }
      }
    }
  }
  expect(shop.logged.filter((line) => JSON.stringify(line).includes(personal))).toEqual([]);
  // A warning that the router writes to the console is logged as an error (`server/start.ts`).
  expect(shop.logged.filter(({ level }) => level >= 50)).toEqual([]);
});

test('no response of the shop can be framed', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const { img } = await shop.addProduct();
  for (const path of [
    '/',
    '/login',
    '/products',
    '/dashboard',
    '/nowhere',
    '/robots.txt',
    '/favicon.ico',
    '/healthz',
    img,
    '/images/x',
    '/api/products',
    '/api/user',
    '/api/nowhere',
    '/api/openapi.json',
    '/api/auth/get-session',
  ]) {
    const { headers } = await sendRequest(shop, 'GET', path, { headers: cookieHeaders(tom) });
    expect([path, headers.get('content-security-policy')]).toEqual([
      path,
      expect.stringMatching(/frame-ancestors 'none'(;|$)/),
    ]);
  }
});
