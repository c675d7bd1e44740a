import { ShopError } from '../../contract/errors.ts';

type Job = { start: () => void; reject: (error: ShopError) => void };
type Queue = { running: number; waiting: Job[] };

/**
 * Runs at most `concurrency` jobs per key at a time, first come, first served. If more than `maxWaiting` jobs wait across
 * all keys, the newest job of the key with the most waiting jobs is rejected with `unavailable`.
 */
export function createFairQueue(
  concurrency: number,
  maxWaiting: number,
): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, Queue>();
  let waitingCount = 0;

  function wait({ waiting }: Queue): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push({ start: resolve, reject });
    waitingCount += 1;
    if (waitingCount > maxWaiting) rejectOne();
    return promise;
  }

  function rejectOne(): void {
    let longest: Job[] = [];
    for (const { waiting } of queues.values()) if (waiting.length >= longest.length) longest = waiting;
    waitingCount -= 1;
    longest.pop()?.reject(tooManyWaiting());
  }

  return async (key, work) => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] };
    queues.set(key, queue);
    if (queue.running < concurrency) queue.running++;
    else await wait(queue);
    try {
      return await work();
    } finally {
      const next = queue.waiting.shift();
      if (next) {
        waitingCount -= 1;
        next.start();
      } else if (--queue.running === 0) queues.delete(key);
    }
  };
}

function tooManyWaiting(): ShopError {
  return new ShopError('unavailable', 'Too many of your requests are waiting. Try again shortly.', {
    retryAfter: 10,
  });
}
