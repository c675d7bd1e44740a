import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ShopError } from '../../../contract/errors.ts';
import type { ResourceLimits } from '../../config/resource-limits.ts';

const timerMs = 100;

/**
 * Rejects requests while the process is overloaded: too many requests in progress, each of which takes memory, or a delayed
 * event loop. A quick rejection is cheaper than a response after the client has given up.
 */
export function createLoadShedder(limits: ResourceLimits) {
  const inProgress = new Set<ServerResponse>();
  const countsPerConnection = new WeakMap<Socket, number>();
  let due = performance.now() + timerMs;
  // While a thousand busy connections keep the event loop occupied, this timer is late.
  const timer = setInterval(() => {
    due = performance.now() + timerMs;
  }, timerMs).unref();

  return {
    /** Counts a request until its response closes; false if too many are pipelined on its connection. */
    begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
      const count = countsPerConnection.get(socket) ?? 0;
      if (count >= limits.maxRequestsPerConnection) return false;
      countsPerConnection.set(socket, count + 1);
      inProgress.add(response);
      response.once('close', () => {
        countsPerConnection.set(socket, (countsPerConnection.get(socket) ?? 1) - 1);
        inProgress.delete(response);
      });
      return true;
    },
    /** The error (503) for a new request; undefined unless the process is overloaded. */
    check(): ShopError | undefined {
      const delayMs = performance.now() - due;
      if (inProgress.size <= limits.maxConcurrentRequests && delayMs <= limits.maxEventLoopDelayMs)
        return undefined;
      return new ShopError('unavailable', 'The shop is very busy. Try again in a moment.', { retryAfter: 2 });
    },
    /** Makes every connection close after its pending response. */
    closeConnections(): void {
      for (const response of inProgress) response.shouldKeepAlive = false;
    },
    stop: () => clearInterval(timer),
  };
}
