import { expect, test, vi } from 'vitest';
import { createConnectionTurns, currentClient } from './connection-turns.ts';

const allPlaces = Number.POSITIVE_INFINITY;

test('clients that wait for a connection take turns, however many requests one of them has', async () => {
  const take = createConnectionTurns(1, allPlaces, 60_000);
  const order: string[] = [];
  const release = await take();
  const use = (id: string) =>
    currentClient.run({ id, isUser: false }, async () => {
      const done = await take();
      order.push(id);
      done();
      // A second call changes nothing.
      done();
    });
  const uses = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(use);
  release();
  await Promise.all(uses);
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a']);
  // All places are free again.
  await expect(take()).resolves.toBeTypeOf('function');
});

test('a user holds a limited number of connections, and others get the rest', async () => {
  const take = createConnectionTurns(3, 2, 60_000);
  const order: string[] = [];
  const takeFor = (id: string) =>
    currentClient.run({ id, isUser: id === 'a' }, async () => {
      const done = await take();
      order.push(id);
      return done;
    });
  const [first, second] = [await takeFor('a'), await takeFor('a')];
  const third = takeFor('a');
  const other = await takeFor('b');
  const late = takeFor('c');
  // `a` waits longest, but already holds its share.
  other();
  (await late)();
  expect(order).toEqual(['a', 'a', 'b', 'c']);
  first();
  (await third)();
  second();
  // All places are free again.
  await Promise.all(['b', 'b', 'b'].map(takeFor));
});

test('a request that waits too long fails, and leaves its turn to the others', async () => {
  vi.useFakeTimers();
  try {
    const take = createConnectionTurns(1, allPlaces, 5000);
    const release = await take();
    const late = take();
    const failed = expect(late).rejects.toThrow('timeout exceeded when trying to connect');
    await vi.advanceTimersByTimeAsync(5000);
    await failed;
    const next = take();
    release();
    await expect(next).resolves.toBeTypeOf('function');
  } finally {
    vi.useRealTimers();
  }
});
