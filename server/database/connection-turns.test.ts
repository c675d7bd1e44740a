import { expect, test, vi } from 'vitest';
import { clientAddress, createConnectionTurns } from './connection-turns.ts';

test('clients that wait for a connection take turns, however many requests one of them has', async () => {
  const take = createConnectionTurns(1, 60_000);
  const order: string[] = [];
  const release = await take();
  const use = (client: string) =>
    clientAddress.run(client, async () => {
      const done = await take();
      order.push(client);
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

test('a request that waits too long fails, and leaves its turn to the others', async () => {
  vi.useFakeTimers();
  try {
    const take = createConnectionTurns(1, 5000);
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
