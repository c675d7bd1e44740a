import { createServer, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { listenOnFreePort } from '../../../tests/support/port.ts';
import { readProblem } from '../../../tests/support/requests.ts';
import { startShop } from '../../../tests/support/shop.ts';

const token = 'a-token-of-the-metrics';

test('the token opens /metrics from any address; a wrong token does not', async () => {
  await using shop = await startShop({ settings: { METRICS_TOKEN: token } });
  const ask = (headers: Record<string, string>, address: string, host = shop.origin) =>
    shop.fetchFromAddress(new Request(`${host}/metrics`, { headers }), address);
  const bearer = { authorization: `Bearer ${token}` };
  for (const address of ['127.0.0.1', '192.0.2.1', '2001:db8::1']) {
    expect((await ask(bearer, address)).status).toBe(200);
    // Prometheus addresses a process by its own host and port.
    expect(
      (await ask({ ...bearer, 'x-forwarded-for': '192.0.2.9' }, address, 'http://10.0.0.7:9')).status,
    ).toBe(200);
    for (const wrong of ['Bearer another-token', `Bearer ${token}x`, `Basic ${token}`, 'Bearer', 'Bearer  '])
      if (address !== '127.0.0.1' || /^Bearer \S/.test(wrong)) {
        const refused = await ask({ authorization: wrong }, address);
        expect([wrong, refused.status]).toEqual([wrong, 403]);
      }
  }
});

test('without a token only unforwarded requests from this machine may read /metrics', async () => {
  await using shop = await startShop();
  const ask = (headers: Record<string, string>, address: string) =>
    shop.fetchFromAddress(new Request(`${shop.origin}/metrics`, { headers }), address);
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
    expect([address, (await ask({}, address)).status]).toEqual([address, 200]);
  for (const address of ['10.0.0.1', '192.0.2.1', '::2', '::ffff:10.0.0.1', 'fe80::1', '128.0.0.1'])
    expect([address, (await ask({}, address)).status]).toEqual([address, 403]);
  for (const name of [
    'Forwarded',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'X-Real-IP',
    'Via',
    'CF-Connecting-IP',
  ]) {
    const refused = await ask({ [name]: 'for=127.0.0.1' }, '127.0.0.1');
    expect([name, refused.status]).toEqual([name, 403]);
  }
  // DNS rebinding: a foreign name that resolves to this machine.
  const at = (host: string) => shop.fetchFromAddress(new Request(`http://${host}/metrics`), '127.0.0.1');
  for (const host of ['evil.example:3000', 'localhost.evil.example', '127.0.0.1.evil.example', 'metrics'])
    expect([host, (await at(host)).status]).toEqual([host, 403]);
  for (const host of ['localhost:9', '127.0.0.1', '10.0.0.7:9', '[::1]:3000'])
    expect([host, (await at(host)).status]).toEqual([host, 200]);
  // When no token is configured, every token is wrong.
  const refused = await ask({ authorization: 'Bearer undefined' }, '127.0.0.1');
  expect((await readProblem(refused)).detail).toContain('METRICS_TOKEN');
});

test('a proxy on this machine does not open /metrics', async () => {
  await using shop = await startShop();
  await shop.listen();
  const { port } = shop.config;
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress };
    request({ port, host: '127.0.0.1', path: incoming.url, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(outgoing);
    }).end();
  });
  onTestFinished(() => void proxy.close());
  const proxyPort = await listenOnFreePort(proxy);
  const get = async (targetPort: number) => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({
        port: targetPort,
        host: '127.0.0.1',
        path: '/metrics',
        headers: { host: `localhost:${port}` },
      })
        .once('response', resolve)
        .once('error', reject)
        .end();
    });
    return { status: response.statusCode, body: await text(response) };
  };
  expect((await get(port)).body).toContain('# TYPE shop_orders_total counter');
  const proxied = await get(proxyPort);
  expect([proxied.status, proxied.body.includes('# TYPE')]).toEqual([403, false]);
});

test('/metrics is not cached, supports HEAD and rejects other methods', async () => {
  await using shop = await startShop();
  const ask = (method: string) =>
    shop.fetchFromAddress(new Request(`${shop.origin}/metrics`, { method }), '127.0.0.1');
  const response = await ask('GET');
  const body = await response.text();
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': `${Buffer.byteLength(body)}`,
    'x-content-type-options': 'nosniff',
  });
  const head = await ask('HEAD');
  expect([head.status, await head.text(), head.headers.get('content-type')]).toEqual([
    200,
    '',
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1000);
  const post = await ask('POST');
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('an overloaded shop still serves /metrics', async () => {
  await using shop = await startShop({ resourceLimits: { maxConcurrentRequests: 0 } });
  await shop.listen();
  expect((await fetch(`${shop.origin}/blogs`)).status).toBe(503);
  expect((await fetch(`${shop.origin}/metrics`)).status).toBe(200);
});
