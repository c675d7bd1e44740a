import type { Registry } from '@prometheus-io/client';
import { ShopError, wrongMethod } from '../../../contract/errors.ts';
import { canReadMetrics } from './access.ts';

/**
 * `GET /metrics`. `refresh` updates the gauges that are read from the database. Throws 403 rather than 401 or 404: signing
 * in would not help, and the page's existence is no secret.
 */
export function createMetricsPage({
  token,
  registry,
  refresh,
}: {
  token: string | undefined;
  registry: Registry;
  refresh: () => Promise<void>;
}) {
  return async (request: Request, socketAddress: string): Promise<Response> => {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD') throw wrongMethod('GET', 'HEAD');
    if (!canReadMetrics(token, request, socketAddress))
      throw new ShopError(
        'not_allowed',
        'Send METRICS_TOKEN as a bearer token, or connect from this machine, at localhost or an IP address.',
      );
    await refresh();
    const text = await registry.metrics();
    return new Response(method === 'HEAD' ? null : text, {
      headers: {
        'content-type': registry.contentType,
        'content-length': `${Buffer.byteLength(text)}`,
        'cache-control': 'no-store',
      },
    });
  };
}
