import { ShopError, wrongMethod } from '../errors.ts';
import { mayRead } from './access.ts';
import { addUp, type Family } from './families.ts';
import { textType, writeText } from './text.ts';

/**
 * `GET /metrics`, for who may read it. `collect` gives what the processes counted, `describe` how the shop is. Throws
 * 403, which the log notes as any other: no sign-in would help, and that there is such an address is no secret.
 */
export function createMetricsPage({
  token,
  collect,
  describe,
}: {
  token: string | undefined;
  collect: () => Promise<Family[]>;
  describe: () => Promise<Family[]>;
}) {
  return async (request: Request, socketAddress: string): Promise<Response> => {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD') throw wrongMethod('GET', 'HEAD');
    if (!mayRead(token, request, socketAddress))
      throw new ShopError(
        'not_allowed',
        'Send METRICS_TOKEN as a bearer token, or ask from this machine, at localhost or an address.',
      );
    const text = writeText(addUp([...(await collect()), ...(await describe())]));
    return new Response(method === 'HEAD' ? null : text, {
      headers: {
        'content-type': textType,
        'content-length': `${Buffer.byteLength(text)}`,
        'cache-control': 'no-store',
      },
    });
  };
}
