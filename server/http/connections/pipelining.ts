import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Counts the requests under way on each connection; whether this one is more than `most`. */
export function createPipeliningLimit(most: number): (incoming: IncomingMessage, outgoing: ServerResponse) => boolean {
  const underWay = new WeakMap<Socket, number>();
  return ({ socket }, outgoing) => {
    const count = underWay.get(socket) ?? 0;
    if (count >= most) return true;
    underWay.set(socket, count + 1);
    outgoing.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    return false;
  };
}
