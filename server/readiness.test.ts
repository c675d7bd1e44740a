import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendRaw, statuses } from '../tests/attacks/raw.ts';
import { askPath, readProblem } from '../tests/support/ask.ts';
import { startShop, type TestShop } from '../tests/support/shop.ts';
import { openLog } from './log.ts';
import { createReadiness } from './readiness.ts';

const ready = (shop: TestShop) => askPath(shop, 'GET', '/readyz');

test('/readyz is 200 for whoever asks, whatever host they name, and however busy the shop is', async () => {
  await using shop = await startShop({ bounds: { requestsUnderWay: 0, loopLate: Number.NEGATIVE_INFINITY } });
  await shop.listen();
  const address = `http://127.0.0.1:${shop.config.port}`;
  expect((await fetch(`${address}/products`)).status).toBe(503);
  const answer = await fetch(`${address}/readyz`);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(await answer.text()).toBe('ready\n');
  expect(
    statuses(await sendRaw(shop.config.port, 'GET /readyz HTTP/1.0\r\nUser-Agent: raw\r\n\r\n')),
  ).toEqual([200]);
  const elsewhere = { origin: 'http://10.0.0.7:3000', fetch: shop.fetch };
  expect((await askPath(elsewhere, 'GET', '/readyz')).status).toBe(200);
});

test('a database that lacks a change of this release is told so, one with a change more than that serves', async () => {
  await using shop = await startShop();
  const { db } = shop.database;
  const newer = { name: '999-next', applied_at: Date.now() };
  await db.insertInto('migration').values(newer).execute();
  expect((await ready(shop)).status).toBe(200);
  await db.deleteFrom('migration').where('name', '=', '002-shop').execute();
  // What the database said holds for a moment.
  await expect.poll(async () => (await ready(shop)).status).toBe(503);
  const answer = await ready(shop);
  expect([answer.headers.get('cache-control'), answer.headers.get('retry-after')]).toEqual(['no-store', '1']);
  expect(await readProblem(answer)).toMatchObject({
    type: 'urn:problem:unavailable',
    detail: 'The database lacks a change that this release needs.',
    data: { missing: 'migrations' },
  });
  expect(shop.logged.filter(({ level }) => level === 40)).toHaveLength(1);
});

test('a process that stops says so to whoever asks regularly, and serves until they have heard it often enough', async () => {
  await using shop = await startShop();
  await shop.listen();
  const address = `http://127.0.0.1:${shop.config.port}`;
  for (let at = 0; at < 2; at++) await (await fetch(`${address}/readyz`)).text();
  let closed = false;
  const closing = shop.close().finally(() => {
    closed = true;
  });
  for (let told = 0; told < 3; told++) {
    const page = await fetch(`${address}/blogs`);
    expect([page.status, page.headers.get('connection'), closed]).toEqual([200, 'close', false]);
    const answer = await fetch(`${address}/readyz`);
    expect(await readProblem(answer)).toMatchObject({ status: 503, data: { missing: 'stopping' } });
  }
  await closing;
});

test('a process whose readiness was requested only once stops without waiting', async () => {
  await using shop = await startShop();
  const readiness = createReadiness(shop.database, openLog({ write: () => undefined }));
  const request = new Request(`${shop.origin}/readyz`);
  await readiness.answer(request, { address: '127.0.0.1', requestId: 'first' });
  // Waiting would use a timer, which takes longer than this.
  const stopped = readiness.stop().then(() => 'stopped');
  expect(await Promise.race([stopped, setImmediate('waits')])).toBe('stopped');
});

test('whoever makes up names keeps no balancer from being heard out', async () => {
  await using shop = await startShop();
  await shop.listen();
  const address = `http://127.0.0.1:${shop.config.port}/readyz`;
  const by = async (name: string) => (await fetch(address, { headers: { 'user-agent': name } })).status;
  for (let at = 0; at < 100; at++) await by(`made up ${at}`);
  for (let at = 0; at < 2; at++) expect(await by('balancer')).toBe(200);
  let closed = false;
  const closing = shop.close().finally(() => {
    closed = true;
  });
  for (let told = 0; told < 3; told++) expect([await by('balancer'), closed]).toEqual([503, false]);
  await closing;
});

test('an idle connection of a visitor is closed after seconds; one of a trusted proxy outlives the proxy’s own patience', async () => {
  const keepAlive = async (settings: Record<string, string>) => {
    await using shop = await startShop({ settings });
    await shop.listen();
    return (await fetch(`http://127.0.0.1:${shop.config.port}/healthz`)).headers.get('keep-alive');
  };
  expect(await keepAlive({})).toBe('timeout=5');
  expect(await keepAlive({ TRUSTED_PROXIES: '10.0.0.0/8' })).toBe('timeout=620');
});
