import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { ShopError } from '../../../contract/errors.ts';
import type { ResourceLimits } from '../../config/resource-limits.ts';

type Body = Pick<IncomingMessage, 'complete' | 'headers' | 'readableLength' | 'socket'>;
type Arriving = { startBytes: number; waitedMs: number; refuse: (error: ShopError) => void };

/** Finds requests whose body arrives at less than the minimum rate. */
export function detectSlowBodies({ bodyGraceMs, minBodyBytesPerSecond, checkIntervalMs: connectionsCheckingInterval }: ResourceLimits) {
  const bodies = new Map<Body, Arriving>();
  const timer = setInterval(() => {
    for (const [incoming, body] of bodies) {
      if (incoming.complete) bodies.delete(incoming);
      // Time counts only while we wait for the client, not while it waits for its turn to be read.
      else if (incoming.readableLength === 0) body.waitedMs += connectionsCheckingInterval;
      const expected = ((body.waitedMs - bodyGraceMs) / 1000) * minBodyBytesPerSecond;
      if (!incoming.complete && incoming.socket.bytesRead - body.startBytes < expected)
        body.refuse(tooSlow());
    }
  }, connectionsCheckingInterval).unref();

  return {
    /** Settles only if the body is too slow: with the refusal. Undefined for a request without a body. */
    watch(incoming: Body, outgoing: EventEmitter): Promise<ShopError> | undefined {
      const { 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers;
      if (length === '0' && !encoding) return undefined;
      const { promise, resolve } = Promise.withResolvers<ShopError>();
      bodies.set(incoming, { startBytes: incoming.socket.bytesRead, waitedMs: 0, refuse: resolve });
      outgoing.once('close', () => bodies.delete(incoming));
      return promise;
    },
    stop: () => clearInterval(timer),
  };
}

function tooSlow(): ShopError {
  return new ShopError(
    'too_slow',
    'The request arrived too slowly: the connection may be poor. Try again, with a smaller file if there is one.',
  );
}
