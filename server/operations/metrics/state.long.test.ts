import { expect, test } from 'vitest';
import type { Facts } from '../../../contract/admin/health.ts';
import { parseMetrics, readMetric } from '../../../tests/support/prometheus.ts';
import { createStateReader } from './state.ts';

test('while the database hangs, scrapes share one read; the next read starts after it has failed', async () => {
  const reads: ((error: Error) => void)[] = [];
  const read = () => new Promise<Facts>((_, reject) => reads.push(reject));
  const readState = createStateReader({}, read, { maxAgeMs: 0, timeoutMs: 5 });
  const isUp = async () => {
    const samples = parseMetrics(await (await readState()).metrics());
    expect(readMetric(samples, 'shop_holds')).toBeUndefined();
    return readMetric(samples, 'shop_database_up');
  };
  expect(await Promise.all([isUp(), isUp()])).toEqual([0, 0]);
  expect(await isUp()).toBe(0);
  expect(reads).toHaveLength(1);
  reads[0]?.(new Error('gone'));
  await expect.poll(async () => [await isUp(), reads.length]).toEqual([0, 2]);
});
