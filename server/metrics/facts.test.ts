import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Facts } from '../../contract/health.ts';
import { createFactFamilies } from './facts.ts';

test('a database that hangs is asked once, however often somebody scrapes, and again when it has answered', async () => {
  const looks: ((error: Error) => void)[] = [];
  const read = () => new Promise<Facts>((_, reject) => looks.push(reject));
  const collect = createFactFamilies(read, {}, { keptMs: 0, patienceMs: 5 });
  const isUp = async () => (await collect()).find(({ name }) => name === 'shop_database_up')?.series[''];
  expect(await Promise.all([isUp(), isUp()])).toEqual([[0], [0]]);
  expect(await isUp()).toEqual([0]);
  expect(looks).toHaveLength(1);
  looks[0]?.(new Error('gone'));
  await setTimeout();
  expect(await isUp()).toEqual([0]);
  expect(looks).toHaveLength(2);
});
