import type { ServerResponse } from 'node:http';
import { ShopError } from '../../../contract/errors.ts';
import type { ResourceLimits } from '../../config/resource-limits.ts';

const timerMs = 100;

/**
 * Rejects requests while the process is overloaded: too many requests in progress, each of which takes memory, or a delayed
 * event loop. A quick rejection is cheaper than a response after the client has given up.
 */
export function createLoadShedder({
  maxConcurrentRequests,
  maxEventLoopDelayMs,
}: Pick<ResourceLimits, 'maxConcurrentRequests' | 'maxEventLoopDelayMs'>) {
  const inProgress = new Set<ServerResponse>();
  let due = performance.now() + timerMs;
  // While a thousand busy connections keep the event loop occupied, this timer is late.
  const timer = setInterval(() => {
    due = performance.now() + timerMs;
  }, timerMs).unref();

  return {
    begin(response: ServerResponse): void {
      inProgress.add(response);
    },
    end(response: ServerResponse): void {
      inProgress.delete(response);
    },
    /** The error (503) for a new request; undefined unless the process is overloaded. */
    check(): ShopError | undefined {
      if (inProgress.size <= maxConcurrentRequests && performance.now() - due <= maxEventLoopDelayMs)
        return undefined;
      return new ShopError('unavailable', 'The shop is very busy at the moment. Try again in a moment.', {
        retryAfter: 2,
      });
    },
    /** Makes every connection close after its pending response. */
    closeConnections(): void {
      for (const response of inProgress) response.shouldKeepAlive = false;
    },
    stop: () => clearInterval(timer),
  };
}
