import type { ServerResponse } from 'node:http';
import { ShopError } from '../../../contract/errors.ts';

const everyMs = 100;

export type Shedding = ReturnType<typeof createLoadShedder>;

/**
 * Knows when a process has more to do than it can: more than `most` requests under way, of which each holds some
 * memory, or an event loop whose timers are `late` by so many milliseconds. Whoever comes then is told to come again:
 * cheaper than an answer that comes when nobody waits for it any more.
 */
export function createLoadShedder({ most, late }: { most: number; late: number }) {
  const underWay = new Set<ServerResponse>();
  let due = performance.now() + everyMs;
  // Where a thousand connections always have something to say, no timer fires for as long as they do.
  const timer = setInterval(() => {
    due = performance.now() + everyMs;
  }, everyMs).unref();

  return {
    /** A request has come; it is under way until its answer has gone out, or its client. */
    begin(answer: ServerResponse): void {
      underWay.add(answer);
    },
    end(answer: ServerResponse): void {
      underWay.delete(answer);
    },
    /** The refusal (503) of a request that has begun, where there is too much to do. */
    judge(): ShopError | undefined {
      if (underWay.size <= most && performance.now() - due <= late) return undefined;
      return new ShopError('unavailable', 'The shop is very busy at the moment. Try again in a moment.', {
        retryAfter: 2,
      });
    },
    /** Each answer that has not begun ends its connection: no other request is to come over it. */
    closeConnections(): void {
      for (const answer of underWay) answer.shouldKeepAlive = false;
    },
    stop: () => clearInterval(timer),
  };
}
