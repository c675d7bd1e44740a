import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { isLoopback } from '../../config/config.ts';
import { readBearer } from '../../http/request.ts';

/** Headers that proxies add. */
const proxyHeaders =
  /^(forwarded|via|x-forwarded|x-forwarded-.*|x-real-ip|x-client-ip|x-cluster-client-ip|cf-connecting-ip|true-client-ip|fastly-client-ip)$/;

/** Metrics may be read with the token, or without one from this machine itself. */
export function canReadMetrics(
  token: string | undefined,
  { url, headers }: Request,
  socketAddress: string,
): boolean {
  const sent = readBearer(headers.get('authorization') ?? '');
  if (sent !== undefined) return token !== undefined && isSame(sent, token);
  return (
    isLoopback(socketAddress.replace(/^::ffff:/, '')) &&
    isLocalHost(new URL(url).hostname) &&
    // A proxy on this machine also connects from a loopback address.
    ![...headers.keys()].some((name) => proxyHeaders.test(name))
  );
}

/** An IP address or `localhost`. Any other name may point here by DNS rebinding. */
const isLocalHost = (host: string): boolean =>
  host === 'localhost' || isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/** In constant time. Hashes have the same length, as `timingSafeEqual` requires. */
function isSame(sent: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(sent), hash(token));
}
