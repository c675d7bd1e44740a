import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResourceLimits } from '../../config/resource-limits.ts';
import { createShares } from './shares.ts';

type Unsent = { address: string; drop: () => void };

/** A response that its client does not read counts as at least this, because it also occupies a connection. */
const minUnsentBytes = 32_768;

/**
 * Limits the memory of responses that their clients do not read. Over its share, an address loses those that it has left unread
 * for longest.
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

  /** Call it for each response that is complete; most are sent by then. */
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
