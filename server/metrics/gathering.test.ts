import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { metric, readMetrics } from '../../tests/support/prometheus.ts';
import { startWorkers } from '../../tests/support/workers.ts';

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

test.skipIf(process.platform !== 'linux')(
  'of several workers any gives what all have counted, and what one counted that has died',
  async () => {
    const shop = await startWorkers(3);
    // Each over a connection of its own, and so to any of them.
    const get = async (path: string) => {
      const answer = await fetch(shop.origin + path, {
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(3000),
      });
      expect([path, answer.status]).toEqual([path, 200]);
      return answer.text();
    };
    const scrape = async () => readMetrics(await get('/metrics'));
    const asked = async () => metric(await scrape(), 'http_requests_total', { call: 'healthz' });

    await Promise.all(Array.from({ length: 30 }, () => get('/healthz')));
    // A request is counted when its connection has taken the answer, a moment after its client has it.
    await expect.poll(asked).toBe(30);
    for (const found of await Promise.all(Array.from({ length: 9 }, scrape))) {
      expect(metric(found, 'http_requests_total', { call: 'healthz' })).toBe(30);
      const workers = found.samples.filter(({ name }) => name === 'process_resident_memory_bytes');
      expect(workers.map(({ labels }) => labels.worker).sort()).toEqual(['1', '2', '3']);
      expect(metric(found, 'shop_info')).toBe(1);
    }

    const [first = 0] = childrenOf(shop.pid ?? 0);
    process.kill(first, 'SIGKILL');
    const left = async () =>
      (await scrape()).samples
        .filter(({ name }) => name === 'process_resident_memory_bytes')
        .map(({ labels }) => labels.worker ?? '');
    // Another one takes its place; what was given to it just then is not answered by anybody.
    const areNew = async () => (await left().catch(() => [])).filter((worker) => worker !== '1').length;
    await expect.poll(areNew).toBe(3);
    expect(await asked()).toBe(30);
    await get('/healthz');
    await expect.poll(asked).toBe(31);
    await expect.poll(() => shop.said.err).toMatch(/"ended":"SIGKILL".*another took its place/);
    await shop.kill('SIGTERM');
  },
);
