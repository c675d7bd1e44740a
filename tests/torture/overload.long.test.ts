import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { defaultResourceLimits } from '../../server/config/resource-limits.ts';
import { createLoadShedder } from '../../server/http/connections/load-shedding.ts';
import { openRawConnection, parseStatuses, sendRaw } from '../attacks/raw.ts';
import { startShop } from '../support/shop.ts';

test('requests above an address’s share of maxConcurrentRequests get a 503 with Retry-After; /healthz always responds', async () => {
  await using shop = await startShop({ resourceLimits: { maxConcurrentRequests: 6 } });
  const tom = await shop.signUp();
  await shop.listen();
  const { port } = shop.config;
  const fetchFrom = (path: string, init?: RequestInit) => fetch(`http://localhost:${port}${path}`, init);
  const body = JSON.stringify({ email: tom.email });
  const slow = await Promise.all(
    [1, 2].map(async () => {
      const raw = await openRawConnection(port);
      raw.write(
        [
          `PUT /api/user/${tom.email} HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${tom.token}`,
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`,
          'Expect: 100-continue\r\n\r\n',
        ].join('\r\n'),
      );
      await once(raw.socket, 'data');
      return raw;
    }),
  );

  const busy = await fetchFrom('/api/products');
  expect(busy.status).toBe(503);
  expect(busy.headers.get('retry-after')).toBe('2');
  expect(busy.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await busy.json()).toMatchObject({ type: 'urn:problem:unavailable', status: 503 });
  const session = await fetchFrom('/api/auth/get-session');
  expect([session.status, await session.json()]).toMatchObject([503, { code: 'UNAVAILABLE' }]);
  const upload = await fetchFrom('/1/upload?key=', { method: 'POST', body: new Uint8Array(1_000_000) });
  expect([upload.status, await upload.json()]).toMatchObject([503, { success: false }]);
  expect((await fetchFrom('/healthz')).status).toBe(200);

  for (const { write } of slow) write(body);
  for (const { closed } of slow) expect(parseStatuses(await closed)).toEqual([100, 200]);
  expect((await fetchFrom('/api/products')).status).toBe(200);
  // Cached responses do not count towards the limit.
  await using full = await startShop({ resourceLimits: { maxConcurrentRequests: 0 } });
  await full.listen();
  await full.client().call('listProducts', {});
  const origin = `http://localhost:${full.config.port}`;
  const plain = { headers: { 'accept-encoding': 'identity' } };
  expect((await fetch(`${origin}/api/products`, plain)).status).toBe(200);
  expect((await fetch(`${origin}/api/reviews`)).status).toBe(503);
});

test('while the event loop is delayed, requests other than /healthz get a 503, which closes the connection', async () => {
  // Every delay exceeds this limit.
  await using shop = await startShop({ resourceLimits: { maxEventLoopDelayMs: Number.NEGATIVE_INFINITY } });
  await shop.listen();
  const { port } = shop.config;
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
  const received = await sendRaw(port, get('/healthz') + get('/products') + get('/healthz'));
  expect(parseStatuses(received)).toEqual([200, 503]);
  expect(received).toMatch(/connection: close\r\n/i);
});

test('requests are rejected while the timers of the event loop cannot fire, and accepted once they do', async () => {
  const shedding = createLoadShedder({ ...defaultResourceLimits, maxEventLoopDelayMs: 200 });
  const check = () => shedding.takePlace(new ServerResponse(new IncomingMessage(new Socket())), '192.0.2.1');
  expect(check()).toBe(undefined);
  for (const until = performance.now() + 400; performance.now() < until; );
  expect(check()).toMatchObject({ code: 'unavailable', retryAfter: 2 });
  await expect.poll(check).toBe(undefined);
  shedding.stop();
});
