import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openRaw, statuses } from '../attacks/raw.ts';
import { startShop } from '../support/shop.ts';

test('more requests than a process takes at once are told to come again; health is always answered', async () => {
  await using shop = await startShop({ bounds: { requestsUnderWay: 2 } });
  const tom = await shop.signUp();
  await shop.listen();
  const { port } = shop.config;
  const fetchFrom = (path: string, init?: RequestInit) => fetch(`http://localhost:${port}${path}`, init);
  const body = JSON.stringify({ email: tom.email });
  const slow = await Promise.all(
    [1, 2].map(async () => {
      const raw = await openRaw(port);
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
  for (const { closed } of slow) expect(statuses(await closed)).toEqual([100, 200]);
  expect((await fetchFrom('/api/products')).status).toBe(200);
  // What is kept is sent without being counted.
  await using full = await startShop({ bounds: { requestsUnderWay: 0 } });
  await full.listen();
  await full.client().call('listProducts', {});
  const at = `http://localhost:${full.config.port}`;
  const plain = { headers: { 'accept-encoding': 'identity' } };
  expect((await fetch(`${at}/api/products`, plain)).status).toBe(200);
  expect((await fetch(`${at}/api/reviews`)).status).toBe(503);
});

test('an event loop that is late again and again takes no more, until it is in time', async () => {
  await using shop = await startShop();
  await shop.listen();
  // With a cookie, so that nothing kept is sent.
  const headers = { cookie: 'of=another' };
  const status = async (path: string) =>
    (await fetch(`http://localhost:${shop.config.port}${path}`, { headers })).status;
  const block = async () => {
    for (const until = performance.now() + 1600; performance.now() < until; );
    // The timers get their turn.
    await setImmediate();
    await setImmediate();
  };
  await block();
  expect(await status('/api/products')).toBe(200);
  await block();
  await block();
  expect(await Promise.all([status('/api/products'), status('/healthz')])).toEqual([503, 200]);
  await expect.poll(() => status('/api/products')).toBe(200);
});
