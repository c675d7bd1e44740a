import type { Manifest } from '../../contract/pages.ts';
import { chooseEncoding, encode } from '../encoding.ts';
import type { Viewer } from '../identity/viewer.ts';
import { makeOpenApi } from '../openapi.ts';
import { renderApiDocs, renderRefusal } from './page.ts';

/** Nothing but files of the shop and the page's one style sheet, and no text becomes code or markup. */
const policyOf = ({ stylesHash }: Manifest): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'sha256-${stylesHash}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

type Asked = { viewer: Viewer | undefined; manifest: Manifest; sessionCookie: string };

/** `/api/docs`, for admins: a visitor is sent to sign in and comes back, anybody else is refused (403). */
export async function answerApiDocs(request: Request, { viewer, manifest, sessionCookie }: Asked) {
  const headers = new Headers({
    'cache-control': 'private, no-cache',
    vary: 'Cookie, Authorization, Accept-Encoding',
  });
  if (!viewer) {
    headers.set('location', `/login?from=${encodeURIComponent(new URL(request.url).pathname)}`);
    return new Response(null, { status: 302, headers });
  }
  const isAdmin = viewer.role === 'admin';
  // Made anew each time: it is asked for seldom, and what is kept would stay.
  const page = await (isAdmin
    ? renderApiDocs(makeOpenApi(sessionCookie), manifest, viewer.email)
    : renderRefusal(manifest));
  const encoding = chooseEncoding(request.headers.get('accept-encoding'));
  const body = await encode(page, encoding, 5);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('content-security-policy', policyOf(manifest));
  headers.set('content-length', String(body.length));
  if (encoding !== 'identity') headers.set('content-encoding', encoding);
  return new Response(request.method === 'HEAD' ? null : body, { status: isAdmin ? 200 : 403, headers });
}
