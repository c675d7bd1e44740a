import { expect, test } from 'vitest';
import { parseStatuses, sendRaw } from '../../../tests/attacks/raw.ts';
import { readProblem, sendRequest } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { recordStatements } from '../../../tests/support/statements.ts';

const ready = (shop: TestShop) => sendRequest(shop, 'GET', '/readyz');

test('/readyz is 200 for any client and any host name, however busy the shop is', async () => {
  await using shop = await startShop({
    resourceLimits: { maxConcurrentRequests: 0, maxEventLoopDelayMs: Number.NEGATIVE_INFINITY },
  });
  await shop.listen();
  const address = `http://127.0.0.1:${shop.config.port}`;
  expect((await fetch(`${address}/products`)).status).toBe(503);
  const answer = await fetch(`${address}/readyz`);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(await answer.text()).toBe('ready\n');
  expect(
    parseStatuses(await sendRaw(shop.config.port, 'GET /readyz HTTP/1.0\r\nUser-Agent: raw\r\n\r\n')),
  ).toEqual([200]);
  const elsewhere = { origin: 'http://10.0.0.7:3000', fetch: shop.fetch };
  expect((await sendRequest(elsewhere, 'GET', '/readyz')).status).toBe(200);
});

test('/readyz is 503 while the database lacks a migration of this release, and 200 if it also has one of the next release', async () => {
  await using shop = await startShop();
  const { db } = shop.database;
  const newer = { name: '999-next', applied_at: Date.now() };
  await db.insertInto('migration').values(newer).execute();
  expect((await ready(shop)).status).toBe(200);
  await db.deleteFrom('migration').execute();
  // The last result is reused for a moment.
  await expect.poll(async () => (await ready(shop)).status).toBe(503);
  const answer = await ready(shop);
  expect([answer.headers.get('cache-control'), answer.headers.get('retry-after')]).toEqual(['no-store', '1']);
  expect(await readProblem(answer)).toMatchObject({
    type: 'urn:problem:unavailable',
    detail: 'The database lacks a migration that this release needs.',
    data: { missing: 'migrations' },
  });
  expect(shop.logged.filter(({ level }) => level === 40)).toHaveLength(1);
});

test('a stopping process fails /readyz and keeps serving until its delay is over', async () => {
  await using shop = await startShop({ settings: { STOP_DELAY_SECONDS: '5' } });
  await shop.listen();
  const address = `http://127.0.0.1:${shop.config.port}`;
  expect((await fetch(`${address}/readyz`)).status).toBe(200);
  const closed = shop.close();
  const [answer, page] = await Promise.all([fetch(`${address}/readyz`), fetch(`${address}/blogs`)]);
  expect(await readProblem(answer)).toMatchObject({ status: 503, data: { missing: 'stopping' } });
  expect([page.status, page.headers.get('connection')]).toEqual([200, 'close']);
  await closed;
  await expect(fetch(`${address}/readyz`)).rejects.toThrow();
});

test('a process without a stop delay closes its port immediately', async () => {
  await using shop = await startShop();
  await shop.listen();
  const address = `http://127.0.0.1:${shop.config.port}`;
  for (let index = 0; index < 2; index++) expect((await fetch(`${address}/readyz`)).status).toBe(200);
  const closed = shop.close();
  // The connection is refused or reset; a late request on the open one gets a 503 (tests/torture/closing.long.test.ts).
  await expect(fetch(`${address}/blogs`, { headers: { connection: 'close' } })).rejects.toThrow();
  await closed;
});

test('/readyz requests at the same time share one database query', async () => {
  await using shop = await startShop();
  const { result, statementsOf } = await recordStatements(() =>
    Promise.all(Array.from({ length: 20 }, () => ready(shop))),
  );
  expect(new Set(result.map(({ status }) => status))).toEqual(new Set([200]));
  expect(statementsOf(shop.database.db)).toHaveLength(1);
});

test('an idle connection from a visitor is closed after seconds; one from a trusted proxy outlives the proxy’s own timeout', async () => {
  const keepAlive = async (settings: Record<string, string>) => {
    await using shop = await startShop({ settings });
    await shop.listen();
    return (await fetch(`http://127.0.0.1:${shop.config.port}/healthz`)).headers.get('keep-alive');
  };
  expect(await keepAlive({})).toBe('timeout=5');
  expect(await keepAlive({ TRUSTED_PROXIES: '10.0.0.0/8' })).toBe('timeout=620');
});
