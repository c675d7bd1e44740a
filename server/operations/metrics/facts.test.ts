import { setTimeout } from 'node:timers/promises';
import { Registry } from '@prometheus-io/client';
import { expect, test } from 'vitest';
import type { Facts } from '../../../contract/health.ts';
import { parseMetrics, readMetric } from '../../../tests/support/prometheus.ts';
import { registerFactGauges } from './facts.ts';

test('while the database hangs, scrapes share one read; the next read starts after it has failed', async () => {
  const reads: ((error: Error) => void)[] = [];
  const read = () => new Promise<Facts>((_, reject) => reads.push(reject));
  const registry = new Registry();
  const refresh = registerFactGauges(registry, {}, read, { maxAgeMs: 0, timeoutMs: 5 });
  const isUp = async () => {
    await refresh();
    const samples = parseMetrics(await registry.metrics());
    expect(readMetric(samples, 'shop_holds')).toBeUndefined();
    return readMetric(samples, 'shop_database_up');
  };
  expect(await Promise.all([isUp(), isUp()])).toEqual([0, 0]);
  expect(await isUp()).toBe(0);
  expect(reads).toHaveLength(1);
  reads[0]?.(new Error('gone'));
  await setTimeout();
  expect(await isUp()).toBe(0);
  expect(reads).toHaveLength(2);
});
