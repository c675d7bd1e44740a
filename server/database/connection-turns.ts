import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The client whose request is running, by its network address or, once the session has been read, by its user's id. Undefined
 * outside requests.
 */
export const currentClient = new AsyncLocalStorage<{ id: string; isUser: boolean }>();

type Client = { isUser: boolean; held: number; waiting: (() => void)[] };

/**
 * Hands out `places` to the waiting clients in turn: after one client's request, the next place goes to another client. Otherwise,
 * hundreds of requests from one client would keep all others waiting. A user holds at most `maxPerUser` places, because a user's
 * transactions wait for one another's locks. Fails like the pool itself after `timeoutMs`.
 */
export function createConnectionTurns(places: number, maxPerUser: number, timeoutMs: number) {
  let free = places;
  /**
   * Clients that hold or wait for places, by id. The next place goes to the first client that may take one, which then moves to
   * the end.
   */
  const clients = new Map<string, Client>();

  const canTake = ({ isUser, held }: Client) => free > 0 && (!isUser || held < maxPerUser);

  function moveToEnd(id: string, client: Client): void {
    clients.delete(id);
    if (client.held > 0 || client.waiting.length > 0) clients.set(id, client);
  }

  function hold(id: string, client: Client): void {
    free -= 1;
    client.held += 1;
    moveToEnd(id, client);
  }

  function release(id: string, client: Client): void {
    free += 1;
    client.held -= 1;
    if (client.held === 0 && client.waiting.length === 0) clients.delete(id);
    const next = clients.entries().find(([, other]) => other.waiting.length > 0 && canTake(other));
    if (!next) return;
    hold(...next);
    next[1].waiting.shift()?.();
  }

  function wait(id: string, client: Client): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    client.waiting.push(resolve);
    if (client.waiting.length === 1) moveToEnd(id, client);
    const timeout = setTimeout(() => {
      client.waiting.splice(client.waiting.indexOf(resolve), 1);
      if (client.held === 0 && client.waiting.length === 0) clients.delete(id);
      reject(new Error('timeout exceeded when trying to connect'));
    }, timeoutMs);
    return promise.finally(() => clearTimeout(timeout));
  }

  /** Waits for a place. Returns the function that releases it. */
  return async function take(): Promise<() => void> {
    const { id, isUser } = currentClient.getStore() ?? { id: '', isUser: false };
    const client = clients.get(id) ?? { isUser, held: 0, waiting: [] };
    if (canTake(client)) hold(id, client);
    else await wait(id, client);
    let isHeld = true;
    return () => {
      if (isHeld) release(id, client);
      isHeld = false;
    };
  };
}
