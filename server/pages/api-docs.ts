import { html } from 'hono/html';
import { homePage, loginPage } from '../../contract/page-addresses.ts';
import type { Manifest } from '../../contract/pages.ts';
import { apiBase } from '../../contract/paths.ts';
import type { SessionUser } from '../http/request-context.ts';

/** Swagger UI sets inline styles and uses data URLs for its icons, so this page has a policy of its own. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `GET /api/docs`: Swagger UI for admins. Redirects visitors to sign in; responds with 403 to other users. */
export async function serveApiDocs(request: Request, viewer: SessionUser | undefined, { files }: Manifest) {
  const headers = new Headers({
    'cache-control': 'private, no-cache',
    vary: 'Cookie, Authorization',
    'content-security-policy': policy,
    'content-type': 'text/html; charset=utf-8',
  });
  if (!viewer) {
    headers.set('location', `${loginPage}?from=${encodeURIComponent(new URL(request.url).pathname)}`);
    return new Response(null, { status: 302, headers });
  }
  const isAdmin = viewer.role === 'admin';
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · Hand-Tools Shop</title>
<meta name="robots" content="noindex">
<link rel="icon" href="${files['icon.svg']}" type="image/svg+xml">
${
  isAdmin
    ? html`<link rel="stylesheet" href="${files['swagger-ui.css']}">
<script src="${files['swagger-ui.js']}" defer></script>
<script src="${files['api-docs.js']}" data-document="${apiBase}/openapi.json" defer></script>`
    : ''
}
</head>
<body>
<p><a href="${homePage}">Hand-Tools Shop</a></p>
<main id="api">${isAdmin ? '' : html`<h1>For admins</h1><p>Only admins can read the API's documentation.</p>`}</main>
</body>
</html>`;
  return new Response(page.toString(), { status: isAdmin ? 200 : 403, headers });
}
