import type { Config } from '../config/config.ts';

/** Sets the security headers of a response. Pages set their own content security policy. */
export function setSecurityHeaders({ origins }: Config, headers: Headers): void {
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'strict-origin-when-cross-origin');
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('permissions-policy', 'camera=(), geolocation=(), microphone=()');
  // Responses are not cached unless their route allows it.
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  if (!headers.has('content-security-policy'))
    headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  if (!headers.has('cross-origin-resource-policy'))
    headers.set('cross-origin-resource-policy', 'same-origin');
  if (origins[0].startsWith('https:')) headers.set('strict-transport-security', 'max-age=31536000');
}
