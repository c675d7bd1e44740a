import { request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { matchPath } from 'react-router';
import { describe, expect, test } from 'vitest';
import { contract } from '../../contract/contract.ts';
import { apiBase, paths } from '../../contract/paths.ts';
import { cookieHeaders, readProblem, sendRequest, tokenHeaders } from '../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';
import { forgedSignature } from '../../tests/support/stripe-event.ts';
import { createAddressReader } from './origin.ts';

/** Sends a request with these headers only, so without an Origin by default. */
function bare(shop: TestShop, method: string, path: string, headers: Record<string, string> = {}) {
  const body = method === 'GET' || method === 'HEAD' ? {} : { body: '{}' };
  return shop.fetch(new Request(new URL(path, shop.origin), { method, headers, ...body }));
}

const changing = [
  ...Object.entries(paths)
    // Stripe signs its events instead.
    .filter(([name, { method }]) => method !== 'GET' && name !== 'receiveStripeEvent')
    .map(([name, { method, path }]) => [
      method,
      (name === 'uploadImage' ? '' : apiBase) + path.replace(/:\w+/, 'x'),
    ]),
  ['POST', '/api/auth/sign-in/email'],
  ['POST', '/api/auth/sign-up/email'],
  ['POST', '/api/auth/sign-in/social'],
  ['POST', '/api/auth/sign-out'],
  ['POST', '/api/auth/change-password'],
  ['DELETE', '/images/x'],
  ['POST', '/login'],
  ['PUT', '/anything'],
] as [string, string][];

const openPaths = Object.values(contract)
  .filter(({ access }) => access === 'everyone')
  .map(({ path }) => apiBase + path);

describe('the host check', () => {
  test('another Host gets a 421 with the URL of the shop, except for the health check', async () => {
    await using shop = await startShop();
    const elsewhere = { ...shop, origin: 'http://evil.example:8080' };
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/api/products'],
      ['POST', '/api/auth/sign-in/email'],
      ['POST', '/1/upload'],
      ['GET', '/images/x'],
      ['GET', '/nowhere'],
      ['POST', '/api/webhooks/stripe'],
    ] as const) {
      const response = await sendRequest(elsewhere, method, path, method === 'POST' ? { body: {} } : {});
      expect([path, response.status]).toEqual([path, 421]);
      const body = await response.text();
      expect(body).toContain('PUBLIC_URL');
      expect(body).toContain(shop.origin);
    }
    expect(await (await sendRequest(elsewhere, 'GET', '/healthz')).text()).toBe('ok\n');
    const problem = await readProblem(await sendRequest(elsewhere, 'GET', '/api/products'));
    expect(problem.type).toBe('urn:problem:wrong_host');
  });

  test('accepts localhost and 127.0.0.1 without PUBLIC_URL, otherwise only PUBLIC_URL', async () => {
    {
      await using shop = await startShop();
      const { port } = shop.config;
      for (const [origin, status] of [
        [`http://localhost:${port}`, 200],
        [`http://127.0.0.1:${port}`, 200],
        [`http://localhost:${port + 1}`, 421],
        ['http://localhost', 421],
        [`http://[::1]:${port}`, 421],
        [`http://localhost.evil.example:${port}`, 421],
      ] as const) {
        const response = await sendRequest({ ...shop, origin }, 'GET', '/api/products');
        expect([origin, response.status]).toEqual([origin, status]);
      }
    }
    await using shop = await startShop({ settings: { PUBLIC_URL: 'https://shop.example' } });
    for (const [origin, status] of [
      ['https://shop.example', 200],
      // A proxy that terminates TLS passes the host on.
      ['http://shop.example', 200],
      ['http://shop.example:443', 200],
      ['http://SHOP.example:443', 200],
      ['http://shop.example:8443', 421],
      ['https://www.shop.example', 421],
      [`http://localhost:${shop.config.port}`, 421],
    ] as const) {
      const response = await sendRequest({ ...shop, origin }, 'GET', '/api/products');
      expect([origin, response.status]).toEqual([origin, status]);
    }
  });
});

describe('the origin check', () => {
  test('a state-changing call requires our Origin or, without one, Sec-Fetch-Site: same-origin', async () => {
    await using shop = await startShop();
    const tom = await shop.signUp();
    const { port } = shop.config;
    const rejected: Record<string, string>[] = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: '' },
      { origin: `http://localhost:${port + 1}` },
      { origin: `https://localhost:${port}` },
      { origin: `${shop.origin}.evil.example` },
      { origin: `${shop.origin}, https://evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'same-site' },
      // If there is an Origin, it decides.
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      { referer: `${shop.origin}/` },
    ];
    const accepted: Record<string, string>[] = [
      { origin: `http://localhost:${port}` },
      { origin: `http://127.0.0.1:${port}` },
      { 'sec-fetch-site': 'same-origin' },
      // A form on a page whose referrer policy hides the origin.
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
    ];
    const isForeign = async (response: Response) =>
      response.status === 403 && /come from the shop's own pages/.test(await response.text());
    for (const [method, path] of changing) {
      for (const headers of rejected) {
        const response = await bare(shop, method, path, { ...headers, ...cookieHeaders(tom) });
        expect([method, path, headers, await isForeign(response)]).toEqual([method, path, headers, true]);
      }
      for (const headers of accepted) {
        const response = await bare(shop, method, path, { ...headers, cookie: 'shop.session_token=x' });
        expect([method, path, headers, await isForeign(response)]).toEqual([method, path, headers, false]);
      }
      // Browsers send these headers automatically to a site that is itself behind a password.
      for (const authorization of ['Basic dG9tOnRvbQ==', 'Digest username="tom"', 'Bearer', 'Negotiate x']) {
        const headers = { authorization, origin: 'https://evil.example', ...cookieHeaders(tom) };
        const response = await bare(shop, method, path, headers);
        expect([method, path, authorization, await isForeign(response)]).toEqual([
          method,
          path,
          authorization,
          true,
        ]);
      }
      // With a bearer token, even an invalid one, the origin does not matter.
      const withBearer = { authorization: 'Bearer x', origin: 'https://evil.example', ...cookieHeaders(tom) };
      const response = await bare(shop, method, path, withBearer);
      expect([method, path, await isForeign(response)]).toEqual([method, path, false]);
      const isOpen = path.startsWith(`${apiBase}/auth`) || openPaths.includes(path);
      if (path.startsWith(`${apiBase}/`) && !isOpen)
        expect([method, path, response.status]).toEqual([method, path, 401]);
    }
    // None of this signed Tom out.
    const known = await sendRequest(shop, 'GET', `/api/admin/${tom.email}`, { headers: cookieHeaders(tom) });
    expect(known.status).toBe(200);
  });

  test('reads, the signed webhook and the stand-ins require no Origin', async () => {
    await using shop = await startShop();
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await bare(shop, 'GET', '/api/products', foreign)).status).toBe(200);
    expect((await bare(shop, 'HEAD', '/api/products', foreign)).status).toBe(200);
    const webhook = await bare(shop, 'POST', '/api/webhooks/stripe', foreign);
    expect((await readProblem(webhook)).type).toBe('urn:problem:forged');
    const standIn = await bare(shop, 'POST', '/sandbox/stripe/v1/payment_intents', foreign);
    expect(standIn.status).toBe(401);
    // Only that exact path is exempt.
    for (const path of ['/api/webhooks/stripe/', '/api/webhooks/stripe/x', '/api//webhooks/stripe'])
      expect([path, (await bare(shop, 'POST', path, foreign)).status]).toEqual([path, 403]);
  });

  test('no response allows another site to read it (CORS)', async () => {
    await using shop = await startShop();
    for (const method of ['GET', 'OPTIONS'] as const) {
      const response = await bare(shop, method, '/api/products', {
        origin: 'https://evil.example',
        'access-control-request-method': 'PUT',
      });
      const names = [...response.headers.keys()].filter((name) => name.startsWith('access-control'));
      expect(names).toEqual([]);
    }
  });
});

test('every kind of response has the security headers', async () => {
  await using shop = await startShop({ settings: { PUBLIC_URL: 'https://shop.example' } });
  const tom = await shop.signUp();
  const { img } = await shop.addProduct();
  const responses = [
    await sendRequest(shop, 'GET', '/'),
    await sendRequest(shop, 'GET', '/products'),
    await sendRequest(shop, 'GET', '/nowhere'),
    await sendRequest(shop, 'POST', '/login', { body: {} }),
    await sendRequest(shop, 'GET', '/api/products'),
    await sendRequest(shop, 'GET', '/api/nowhere'),
    await sendRequest(shop, 'GET', '/api/user'),
    await sendRequest(shop, 'GET', '/api/openapi.json'),
    await sendRequest(shop, 'GET', '/api/auth/get-session', { headers: cookieHeaders(tom) }),
    await sendRequest(shop, 'GET', '/api/auth/nowhere'),
    await sendRequest(shop, 'POST', '/1/upload', { body: {} }),
    await sendRequest(shop, 'GET', img),
    await sendRequest(shop, 'GET', '/images/nowhere'),
    await sendRequest(shop, 'GET', '/healthz'),
    await sendRequest({ ...shop, origin: 'http://evil.example' }, 'GET', '/'),
  ];
  for (const { url, status, headers } of responses) {
    const values = Object.fromEntries(headers);
    expect([url, status, values]).toMatchObject([
      url,
      status,
      {
        'x-content-type-options': 'nosniff',
        'referrer-policy': expect.stringMatching(/origin/),
        'cross-origin-opener-policy': 'same-origin',
        'strict-transport-security': expect.stringMatching(/max-age=\d{7,}/),
        'content-security-policy': expect.stringMatching(/default-src '(none|self)'/),
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
    expect(values['content-security-policy']).not.toMatch(/unsafe-(inline|eval)/);
    expect(values['x-powered-by'] ?? values.server).toBeUndefined();
  }
});

test('an unknown path is a 404; a known one with another method is a 405 with the allowed methods', async () => {
  await using shop = await startShop();
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const allowedMethods = new Map<string, Set<string>>();
  const calls = Object.values(contract);
  for (const { path } of calls) {
    const address = path.replace(/:\w+/, 'x');
    // `/products/import` is also a path of `/products/:id`.
    const matching = calls.filter((call) => matchPath(call.path, address));
    const allowed = new Set<string>(matching.map(({ method }) => method));
    if (allowed.has('GET')) allowed.add('HEAD');
    allowedMethods.set((path === contract.uploadImage.path ? '' : apiBase) + address, allowed);
  }
  allowedMethods.set('/images/x', new Set(['GET', 'HEAD', 'DELETE']));
  for (const [path, allowed] of allowedMethods) {
    for (const method of methods.filter((name) => !allowed.has(name))) {
      const response = await sendRequest(shop, method, path);
      expect([method, path, response.status]).toEqual([method, path, 405]);
      const allow = new Set(response.headers.get('allow')?.split(', '));
      expect([path, allow]).toEqual([path, allowed]);
      if (path.startsWith(apiBase)) await readProblem(response);
    }
  }
  for (const path of ['/api/nowhere', '/api/', '/api/products/x/y', '/api/Products', '/api/user/admin/x/y']) {
    for (const method of methods)
      expect([method, path, (await readProblem(await sendRequest(shop, method, path))).status]).toEqual([
        method,
        path,
        404,
      ]);
  }
  const page = await sendRequest(shop, 'PUT', '/');
  expect([page.status, page.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
});

test('over the network, the client can read the response to an oversized body', async () => {
  await using shop = await startShop();
  const admin = await shop.admin();
  await shop.listen();

  /** Like most clients, sends all `size` bytes even if the response arrives earlier. */
  function post(path: string, size: number, headers: Record<string, string>) {
    return new Promise<{ status: number; body: string }>((resolve, reject) => {
      const outgoing = send(`http://127.0.0.1:${shop.config.port}${path}`, { method: 'POST', headers });
      outgoing.on('error', reject);
      outgoing.on('response', async (incoming) => {
        const body = (await buffer(incoming)).toString();
        resolve({ status: incoming.statusCode ?? 0, body });
      });
      outgoing.end(Buffer.alloc(size, 'a'));
    });
  }
  const json = { ...tokenHeaders(admin), 'content-type': 'application/json' };
  for (const size of [100_001, 9_000_000]) {
    const answer = await post('/api/product', size, json);
    expect([size, answer.status]).toEqual([size, 413]);
    expect(JSON.parse(answer.body)).toMatchObject({ type: 'urn:problem:too_large' });
    const origin = { origin: shop.origin, 'content-type': 'application/json' };
    const identity = await post('/api/auth/sign-in/email', size, origin);
    expect(JSON.parse(identity.body)).toMatchObject({ code: 'TOO_LARGE' });
  }
  const forged = { 'stripe-signature': forgedSignature };
  expect((await post('/api/webhooks/stripe', 1_000_001, forged)).status).toBe(413);
  expect((await post('/api/webhooks/stripe', 1_000_000, forged)).status).toBe(400);
  // The response is readable even if the request is rejected before its body is read.
  expect((await post('/api/product', 5_000_000, { 'content-type': 'application/json' })).status).toBe(403);
  expect((await post('/api/product', 5_000_000, { ...json, 'content-type': 'text/plain' })).status).toBe(415);
  expect((await post('/1/upload', 25_000_000, { authorization: 'Bearer x' })).status).toBe(401);
  // The server still works.
  expect((await fetch(`http://127.0.0.1:${shop.config.port}/healthz`)).status).toBe(200);
});

const { readAddress: from } = createAddressReader(['10.0.0.0/8', '::1']);

test('the client address is the last one in X-Forwarded-For that is not a trusted proxy', () => {
  expect(from('203.0.113.9', '198.51.100.7')).toBe('203.0.113.9');
  expect(from('10.0.0.2', '1.1.1.1, 198.51.100.7')).toBe('198.51.100.7');
  expect(from('10.0.0.2', '1.1.1.1, 198.51.100.7, 10.9.9.9')).toBe('198.51.100.7');
  expect(from('::ffff:10.0.0.2', '198.51.100.7:4711')).toBe('198.51.100.7');
  expect(from('::1')).toBe('0:0:0:0::/64');
});

test.each([
  ['commas', ','.repeat(16_000)],
  ['characters of forged hops', '192.0.2.1,'.repeat(1600)],
])('an X-Forwarded-For of 16,000 %s is read from the end, only as far as the client', (_, left) => {
  const { trim } = String.prototype;
  let hops = 0;
  // Each hop that is read is trimmed once.
  String.prototype.trim = function () {
    hops++;
    return trim.call(this);
  };
  try {
    expect(from('10.0.0.2', `${left}198.51.100.7, 10.9.9.9`)).toBe('198.51.100.7');
    expect(from('10.0.0.2', left)).toBe('10.0.0.2');
  } finally {
    String.prototype.trim = trim;
  }
  expect(hops).toBe(3);
});

test('all addresses of one IPv6 subscriber count as one', () => {
  const one = from('10.0.0.2', '[2001:db8:0:1::5]:443');
  expect(one).toBe('2001:db8:0:1::/64');
  expect(from('2001:db8:0:1:aaaa:bbbb:cccc:dddd')).toBe(one);
  expect(from('2001:db8:0:2::5')).not.toBe(one);
});

// How dual-stack sockets and proxies write IPv4 addresses. Read as IPv6, they would all share one /64 and its limits.
test.each([
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:203.0.113.9', '203.0.113.9'],
  ['::ffff:cb00:7109', '203.0.113.9'],
  ['0:0:0:0:0:ffff:cb00:7109', '203.0.113.9'],
  ['[::ffff:203.0.113.9]:4711', '203.0.113.9'],
  ['::ffff:c000:0201', '192.0.2.1'],
])('the IPv4-mapped address %s counts as IPv4 at every hop', (mapped, address) => {
  expect(from('10.0.0.2', mapped)).toBe(address);
  expect(from('10.0.0.2', `1.1.1.1, ${mapped}, ::ffff:10.9.9.9, ::ffff:0a09:0909`)).toBe(address);
  if (!mapped.startsWith('[')) expect(from(mapped, '1.1.1.1')).toBe(address);
});

test('all spellings of an IPv6 address count as one', () => {
  const one = from('2001:db8:0:1::5');
  expect(from('2001:0DB8:0000:0001:0000::0005')).toBe(one);
  expect(from('10.0.0.2', '2001:db8::1:0:0:0:5%eth0')).toBe(one);
});
