import { ShopError } from '../../contract/errors.ts';

/** Beyond this many, the least recently used addresses are evicted. */
const maxAddresses = 10_000;

/**
 * Limits frequent, cheap calls per network address: `burst` units at once, and `perSecond` more each second. Counts in the
 * memory of this process, because a row per call would cost more than the call. Throws 429 with `Retry-After`.
 */
export function createBurstLimit(burst: number, perSecond: number, message: string) {
  /** The units in use by address, the most recently used last. */
  const addresses = new Map<string, { units: number; at: number }>();

  return function consume(address: string, units: number): void {
    const now = performance.now();
    const last = addresses.get(address) ?? { units: 0, at: now };
    const before = Math.max(0, last.units - ((now - last.at) / 1000) * perSecond);
    if (before + units > burst)
      throw new ShopError('too_many_tries', message, {
        retryAfter: Math.ceil((before + units - burst) / perSecond),
      });
    addresses.delete(address);
    addresses.set(address, { units: before + units, at: now });
    const [oldest] = addresses.keys();
    if (addresses.size > maxAddresses && oldest !== undefined) addresses.delete(oldest);
  };
}
