import type { ServerResponse } from 'node:http';
import { ShopError } from './errors.ts';

/** How often the event loop is asked how late it is, and how late is too late. */
const everyMs = 500;
const lateMs = 1000;

export type Shedding = ReturnType<typeof createShedding>;

/**
 * Knows how much a process has to do. Where that is more than it can do in a second or so, whoever comes next is told
 * to come again: cheaper than an answer that comes when nobody waits for it any more, and before memory grows, since
 * what each of `most` requests holds is bounded.
 */
export function createShedding(most: number) {
  const underWay = new Set<ServerResponse>();
  let due = performance.now() + everyMs;
  let lateTwice = false;
  let late = false;
  const timer = setInterval(() => {
    const now = performance.now();
    const isLate = now - due > lateMs;
    // Once may be a single long piece of work, which is over.
    lateTwice = late && isLate;
    late = isLate;
    due = now + everyMs;
  }, everyMs).unref();

  return {
    /** A request has come; it is under way until its answer has gone out, or its client. */
    begin(answer: ServerResponse): void {
      underWay.add(answer);
    },
    end(answer: ServerResponse): void {
      underWay.delete(answer);
    },
    /** The refusal (503) of a request that has begun, where there are too many. */
    judge(): ShopError | undefined {
      if (underWay.size <= most && !lateTwice) return undefined;
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
