import { ShopError } from '../../contract/errors.ts';

/** Beyond this many, the least recently used senders are evicted. */
const maxSenders = 10_000;

/**
 * Limits frequent, cheap calls for each sender, which is a network address or a user. A sender can use `burst` units at once, and
 * gets `perSecond` more each second. The units are counted in the memory of this process, because a row per call would cost more
 * than the call. Throws 429 with `Retry-After`.
 */
export function createBurstLimit(burst: number, perSecond: number, message: string) {
  /** The units that each sender has in use. The sender with the most recent call comes last. */
  const senders = new Map<string, { units: number; at: number }>();

  return function consume(sender: string, units: number): void {
    const now = performance.now();
    const last = senders.get(sender) ?? { units: 0, at: now };
    const before = Math.max(0, last.units - ((now - last.at) / 1000) * perSecond);
    if (before + units > burst)
      throw new ShopError('too_many_attempts', message, {
        retryAfter: Math.ceil((before + units - burst) / perSecond),
      });
    senders.delete(sender);
    senders.set(sender, { units: before + units, at: now });
    const [oldest] = senders.keys();
    if (senders.size > maxSenders && oldest !== undefined) senders.delete(oldest);
  };
}
