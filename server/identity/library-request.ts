import type { Config } from '../config/config.ts';
import type { Viewer } from '../http/visit.ts';
import { type IdentityCall, serializeForm } from './mounted-calls.ts';
import { addressHeader, cookiePrefix, sessionCookie } from './names.ts';
import { signToken } from './token.ts';
import { readCookie } from './viewer.ts';

/**
 * Makes the request that Better Auth gets. Better Auth parses credentials in its own way, so it never sees those of the
 * client: its session is exactly the one that the shop has found.
 */
export function createLibraryRequestBuilder({ config, secret }: { config: Config; secret: string }) {
  const session = sessionCookie(config);
  // They identify the browser that went to Google, and mark a session that ends with its browser.
  const passed = [`${cookiePrefix(config)}.state`, `${cookiePrefix(config)}.dont_remember`];

  function readCookies({ headers }: Request, viewer: Viewer | undefined): string {
    const cookies = viewer ? [`${session}=${encodeURIComponent(signToken(viewer.token, secret))}`] : [];
    // With this header, cookies are ignored.
    if (headers.has('authorization')) return cookies.join('; ');
    for (const name of passed) {
      const value = readCookie(headers, name);
      if (value !== undefined) cookies.push(`${name}=${value}`);
    }
    return cookies.join('; ');
  }

  return function makeRequest(
    request: Request,
    { url, form }: IdentityCall,
    { address, viewer }: { address: string; viewer: Viewer | undefined },
  ): Request {
    const headers = new Headers({
      [addressHeader]: address,
      cookie: readCookies(request, viewer),
      'user-agent': request.headers.get('user-agent') ?? '',
    });
    const { method } = request;
    if (!form) return new Request(url, { method, headers });
    headers.set('content-type', 'application/json');
    return new Request(url, { method, headers, body: serializeForm(form) });
  };
}
