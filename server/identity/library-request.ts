import type { Config } from '../config/config.ts';
import type { SessionUser } from '../http/request-context.ts';
import { type IdentityCall, serializeForm } from './mounted-calls.ts';
import { addressHeader, cookiePrefix, sessionCookie } from './names.ts';
import { signToken } from './token.ts';
import { readCookie } from './viewer.ts';

/**
 * Builds the request that is passed to Better Auth. Better Auth parses credentials differently, so it never sees the
 * client's: its session is exactly the one that the shop has found.
 */
export function createLibraryRequestBuilder({ config, secret }: { config: Config; secret: string }) {
  const session = sessionCookie(config);
  // The first identifies the browser that went to Google; the second marks a session that ends with the browser.
  const passedCookies = [`${cookiePrefix(config)}.state`, `${cookiePrefix(config)}.dont_remember`];

  function buildCookies({ headers }: Request, viewer: SessionUser | undefined): string {
    const cookies = viewer ? [`${session}=${encodeURIComponent(signToken(viewer.token, secret))}`] : [];
    // A request with this header is authenticated by it alone.
    if (headers.has('authorization')) return cookies.join('; ');
    for (const name of passedCookies) {
      const value = readCookie(headers, name);
      if (value !== undefined) cookies.push(`${name}=${value}`);
    }
    return cookies.join('; ');
  }

  return function buildRequest(
    request: Request,
    { url, form }: IdentityCall,
    { address, viewer }: { address: string; viewer: SessionUser | undefined },
  ): Request {
    const headers = new Headers({
      [addressHeader]: address,
      cookie: buildCookies(request, viewer),
      'user-agent': request.headers.get('user-agent') ?? '',
    });
    const { method } = request;
    if (!form) return new Request(url, { method, headers });
    headers.set('content-type', 'application/json');
    return new Request(url, { method, headers, body: serializeForm(form) });
  };
}
