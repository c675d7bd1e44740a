import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { Registry } from '@prometheus-io/client';
import { ShopError } from '../../../contract/errors.ts';
import { isLoopback } from '../../config/config.ts';
import { isForwarded } from '../../http/origin.ts';
import { readBearer } from '../../http/request.ts';

/** `GET /metrics`. Throws 403, not 401 or 404: signing in would not help, and the page's existence is no secret. */
export function createMetricsPage(
  token: string | undefined,
  counted: Registry,
  readState: () => Promise<Registry>,
) {
  return async (request: Request, socketAddress: string): Promise<Response> => {
    if (!canReadMetrics(token, request, socketAddress))
      throw new ShopError(
        'not_allowed',
        'Send METRICS_TOKEN as a bearer token, or connect from this machine, at localhost or an IP address.',
      );
    const registry = Registry.merge([counted, await readState()]);
    const text = await registry.metrics();
    const headers = { 'content-type': registry.contentType, 'cache-control': 'no-store' };
    return new Response(text, { headers: { ...headers, 'content-length': `${Buffer.byteLength(text)}` } });
  };
}

/** Metrics may be read with the token, or without one from this machine itself. */
function canReadMetrics(token: string | undefined, { url, headers }: Request, socketAddress: string) {
  const sent = readBearer(headers.get('authorization') ?? '');
  if (sent !== undefined) return token !== undefined && isSame(sent, token);
  const { hostname } = new URL(url);
  return (
    isLoopback(socketAddress.replace(/^::ffff:/, '')) &&
    // Any other name may point here by DNS rebinding.
    (hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) &&
    // A proxy on this machine also connects from a loopback address.
    !isForwarded(headers)
  );
}

/** In constant time. Hashes have the same length, as `timingSafeEqual` requires. */
function isSame(sent: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(sent), hash(token));
}
