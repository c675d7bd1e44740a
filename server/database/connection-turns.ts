import { AsyncLocalStorage } from 'node:async_hooks';

/** The network address of the client whose request is running. Nothing outside requests has one. */
export const clientAddress = new AsyncLocalStorage<string>();

/**
 * Hands out `places`, and takes turns between the clients that wait: after a client's request, the next is one of another client.
 * Otherwise, hundreds of requests of one client would keep all others waiting. Fails like the pool itself after `timeoutMs`.
 */
export function createConnectionTurns(places: number, timeoutMs: number) {
  let free = places;
  /** By client. The first gets the next place and goes to the end. */
  const queues = new Map<string, (() => void)[]>();

  function release(): void {
    const [first] = queues;
    if (!first) {
      free += 1;
      return;
    }
    const [client, waiting] = first;
    const next = waiting.shift();
    queues.delete(client);
    if (waiting.length > 0) queues.set(client, waiting);
    next?.();
  }

  function wait(client: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = queues.get(client) ?? [];
    queues.set(client, waiting);
    waiting.push(resolve);
    const timeout = setTimeout(() => {
      waiting.splice(waiting.indexOf(resolve), 1);
      if (waiting.length === 0) queues.delete(client);
      reject(new Error('timeout exceeded when trying to connect'));
    }, timeoutMs);
    return promise.finally(() => clearTimeout(timeout));
  }

  /** Waits for a place. Returns the function that releases it. */
  return async function take(): Promise<() => void> {
    if (free > 0) free -= 1;
    else await wait(clientAddress.getStore() ?? '');
    let isHeld = true;
    return () => {
      if (isHeld) release();
      isHeld = false;
    };
  };
}
