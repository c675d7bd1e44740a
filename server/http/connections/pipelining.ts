import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Counts the requests in progress on each connection. Returns true for a request that exceeds `maxRequests`. */
export function createPipeliningLimit(
  maxRequests: number,
): (incoming: IncomingMessage, outgoing: ServerResponse) => boolean {
  const inProgress = new WeakMap<Socket, number>();
  return ({ socket }, outgoing) => {
    const count = inProgress.get(socket) ?? 0;
    if (count >= maxRequests) return true;
    inProgress.set(socket, count + 1);
    outgoing.once('close', () => inProgress.set(socket, (inProgress.get(socket) ?? 1) - 1));
    return false;
  };
}
