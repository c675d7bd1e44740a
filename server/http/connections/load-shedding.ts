import type { ServerResponse } from 'node:http';
import { ShopError } from '../../../contract/errors.ts';
import type { ResourceLimits } from '../../config/resource-limits.ts';
import { createShares } from './shares.ts';

const timerMs = 100;

/**
 * Rejects requests while the process is overloaded: too many requests in progress, each of which takes memory, or a delayed
 * event loop. A quick rejection is cheaper than a response after the client has given up.
 */
export function createLoadShedder({ maxConcurrentRequests, maxEventLoopDelayMs }: ResourceLimits) {
  const places = createShares(maxConcurrentRequests);
  const inProgress = new Set<ServerResponse>();
  let due = performance.now() + timerMs;
  // While a thousand busy connections keep the event loop occupied, this timer is late.
  const timer = setInterval(() => {
    due = performance.now() + timerMs;
  }, timerMs).unref();

  return {
    /** Tracks a response until it closes. */
    begin(response: ServerResponse): void {
      inProgress.add(response);
      response.once('close', () => inProgress.delete(response));
    },
    /** Reserves a place for a request until its response closes. Returns the error (503) if the process is overloaded. */
    takePlace(response: ServerResponse, address: string): ShopError | undefined {
      const isLate = performance.now() - due > maxEventLoopDelayMs;
      const release = isLate ? undefined : places.take(address);
      if (!release)
        return new ShopError('unavailable', 'The shop is very busy. Try again in a moment.', {
          retryAfter: 2,
        });
      response.once('close', release);
      return undefined;
    },
    /** Makes every connection close after its pending response. */
    closeConnections(): void {
      for (const response of inProgress) response.shouldKeepAlive = false;
    },
    stop: () => clearInterval(timer),
  };
}
