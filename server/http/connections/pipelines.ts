import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ResourceLimits } from '../../config/resource-limits.ts';
import { createShares } from './shares.ts';

/**
 * Lets pipelined requests wait until the response before them has been sent. Node would start them all at once, up to 2,500 from
 * one packet, and keep their responses in memory for as long as the client does not read.
 */
export function createPipelines(
  { maxRequestsPerConnection, maxPipelinedRequests }: ResourceLimits,
  readAddress: (incoming: IncomingMessage) => string,
) {
  const shares = createShares(maxPipelinedRequests);
  const waiting = new WeakMap<Socket, number>();

  return {
    /**
     * Calls `start` once all earlier responses on the connection have been sent. Above the limits, closes the connection at once:
     * Node would read and parse further requests for as long as the client sends them.
     */
    wait(
      incoming: IncomingMessage,
      outgoing: ServerResponse,
      start: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
    ): void {
      const { socket } = incoming;
      // An earlier request of the same packet closed the connection.
      if (socket.destroyed) return;
      const count = (waiting.get(socket) ?? 0) + 1;
      const release = count < maxRequestsPerConnection ? shares.take(readAddress(incoming)) : undefined;
      if (!release) {
        socket.destroy();
        return;
      }
      waiting.set(socket, count);
      const leave = () => {
        release();
        const left = (waiting.get(socket) ?? 1) - 1;
        if (left > 0) waiting.set(socket, left);
        else waiting.delete(socket);
      };
      // The connection was closed before the request's turn.
      outgoing.once('close', leave);
      // This event means that the previous response has been sent.
      outgoing.once('socket', () => {
        outgoing.off('close', leave);
        leave();
        // Node has not finished assigning the socket.
        process.nextTick(start, incoming, outgoing);
      });
    },
  };
}
