import { expect, test } from 'vitest';
import { createFairQueue } from './fair-queue.ts';

function begin(enqueue: ReturnType<typeof createFairQueue>, key: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const result = enqueue(key, () => promise).then(
    () => 'done',
    (error: unknown) => String(error),
  );
  return { result, end: resolve };
}

test('when too many jobs wait, the newest job of the key with the most is rejected', async () => {
  const enqueue = createFairQueue(1, 3);
  const first = ['a', 'a', 'a', 'a'].map((key) => begin(enqueue, key));
  const last = ['b', 'b'].map((key) => begin(enqueue, key));
  expect(await first.at(-1)?.result).toContain('Too many of your requests are waiting');
  for (const { end } of [...first, ...last]) end();
  expect(await Promise.all(first.slice(0, -1).map(({ result }) => result))).toEqual(['done', 'done', 'done']);
  expect(await Promise.all(last.map(({ result }) => result))).toEqual(['done', 'done']);
});

test('a job that has started no longer counts as waiting', async () => {
  const enqueue = createFairQueue(1, 1);
  for (let round = 0; round < 3; round++) {
    const works = [begin(enqueue, 'a'), begin(enqueue, 'a')];
    for (const { end } of works) end();
    for (const { result } of works) expect(await result).toBe('done');
  }
});
