import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startWorkers } from '../support/workers.ts';

test('several processes behind one port, stopped under load, serve until who asks has been told often enough', async () => {
  const shop = await startWorkers(3);
  // Each over a connection of its own, and so to each of them in turn.
  const statusOf = async (path: string) => {
    const answer = await fetch(shop.origin + path, { headers: { connection: 'close' } });
    await answer.text();
    return answer.status;
  };

  // No process of the three has heard two of these.
  for (let at = 0; at < 3; at++) expect(await statusOf('/readyz')).toBe(200);
  let told = 0;
  const answered: unknown[] = [];
  const load = async (path: string) => {
    while (told < 3) answered.push(await statusOf(path).catch((error: Error) => error.cause ?? error));
  };
  const loads = ['/', '/api/products?limit=2', '/blogs'].map(load);
  await expect.poll(() => answered.length).toBeGreaterThan(20);
  const ended = shop.kill('SIGTERM');
  const began = performance.now();
  while (told < 3) {
    // As often as a balancer asks.
    await setTimeout(200);
    if ((await statusOf('/readyz')) !== 503) continue;
    told += 1;
    // A second signal changes nothing.
    if (told === 1) void shop.kill('SIGTERM');
  }
  await Promise.all(loads);
  expect([...new Set(answered)]).toEqual([200]);
  const { code } = await ended;
  expect(code).toBe(0);
  // They have heard it, and did not wait for as long as they would for somebody who does not come.
  expect(performance.now() - began).toBeLessThan(12_000);
}, 60_000);
