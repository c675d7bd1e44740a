import { ShopError } from '../../contract/errors.ts';

type Turn = { start: () => void; refuse: (why: ShopError) => void };
type Lane = { running: number; waiting: Turn[] };

/**
 * Runs at most `atOnce` pieces of work of one key at a time; the others wait in the order in which they came. Each of
 * them is a request in progress, of which a process has only so many: if more than `maxWaiting` wait, of all keys
 * together, the last of the key with the most is refused. Throws `unavailable`.
 */
export function createFairQueue(
  atOnce: number,
  maxWaiting: number,
): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const lanes = new Map<string, Lane>();
  let waitingCount = 0;

  function wait({ waiting }: Lane): Promise<void> {
    const turn = Promise.withResolvers<void>();
    waiting.push({ start: turn.resolve, refuse: turn.reject });
    waitingCount += 1;
    if (waitingCount > maxWaiting) refuseOne();
    return turn.promise;
  }

  function refuseOne(): void {
    let longest: Turn[] = [];
    for (const { waiting } of lanes.values()) if (waiting.length >= longest.length) longest = waiting;
    waitingCount -= 1;
    longest.pop()?.refuse(crowded());
  }

  return async (key, work) => {
    const lane = lanes.get(key) ?? { running: 0, waiting: [] };
    lanes.set(key, lane);
    if (lane.running < atOnce) lane.running++;
    else await wait(lane);
    try {
      return await work();
    } finally {
      // The place is handed on, or given up.
      const next = lane.waiting.shift();
      if (next) {
        waitingCount -= 1;
        next.start();
      } else if (--lane.running === 0) lanes.delete(key);
    }
  };
}

function crowded(): ShopError {
  return new ShopError('unavailable', 'Too many of your requests are waiting. Try again shortly.', {
    retryAfter: 10,
  });
}
