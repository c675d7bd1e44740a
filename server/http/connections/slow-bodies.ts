import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { ShopError } from '../../../contract/errors.ts';
import type { ResourceLimits } from '../../config/resource-limits.ts';
import { hasBody } from './body-chunks.ts';

type Body = Pick<IncomingMessage, 'complete' | 'headers' | 'readableLength' | 'socket'>;
type Progress = { startBytes: number; waitedMs: number; report: (error: ShopError) => void };

const detail = 'The request arrived too slowly. Try again, with a smaller file if there is one.';

/** Finds requests whose body arrives at less than the minimum rate. */
export function detectSlowBodies({ bodyGraceMs, minBodyBytesPerSecond, checkIntervalMs }: ResourceLimits) {
  const bodies = new Map<Body, Progress>();
  const timer = setInterval(() => {
    for (const [{ complete, readableLength, socket }, progress] of bodies) {
      if (complete) continue;
      // Count time only while we wait for the client, not while received bytes wait to be read.
      if (readableLength === 0) progress.waitedMs += checkIntervalMs;
      const target = ((progress.waitedMs - bodyGraceMs) / 1000) * minBodyBytesPerSecond;
      if (socket.bytesRead - progress.startBytes < target) progress.report(new ShopError('too_slow', detail));
    }
  }, checkIntervalMs).unref();

  return {
    /** Resolves to an error if the body is too slow; otherwise never settles. Undefined for a request without a body. */
    watch(incoming: Body, outgoing: EventEmitter): Promise<ShopError> | undefined {
      if (!hasBody(incoming)) return undefined;
      const { promise, resolve: report } = Promise.withResolvers<ShopError>();
      bodies.set(incoming, { startBytes: incoming.socket.bytesRead, waitedMs: 0, report });
      outgoing.once('close', () => bodies.delete(incoming));
      return promise;
    },
    stop: () => clearInterval(timer),
  };
}
