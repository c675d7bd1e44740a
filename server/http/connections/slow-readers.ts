import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResourceLimits } from '../../config/resource-limits.ts';
import { createShares } from './shares.ts';

type Unsent = { address: string; drop: () => void };

/** An unread response counts as at least this much, because it also occupies a connection. */
const minUnsentBytes = 32_768;

/**
 * Limits the memory of responses that their clients do not read. If an address exceeds its share, its
 * oldest unread responses are dropped.
 */
export function limitUnsentBytes(
  { maxUnsentBytes }: ResourceLimits,
  readAddress: (incoming: IncomingMessage) => string,
) {
  const shares = createShares(maxUnsentBytes);
  const responses = new Set<Unsent>();

  /** Drops the oldest response of an address; false if there is none. */
  function dropOldest(address: string): boolean {
    for (const response of responses)
      if (response.address === address) {
        response.drop();
        return true;
      }
    return false;
  }

  /** Call this for each complete response. Most have been sent by then. */
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const unsentBytes = outgoing.socket?.writableLength ?? 0;
    if (unsentBytes === 0) return;
    const address = readAddress(incoming);
    const bytes = Math.max(unsentBytes, minUnsentBytes);
    let release = shares.take(address, bytes);
    while (!release && dropOldest(address)) release = shares.take(address, bytes);
    if (!release) {
      outgoing.destroy();
      return;
    }
    const end = () => {
      release();
      responses.delete(response);
    };
    const response: Unsent = {
      address,
      drop() {
        end();
        outgoing.destroy();
      },
    };
    responses.add(response);
    outgoing.once('close', end);
  };
}
