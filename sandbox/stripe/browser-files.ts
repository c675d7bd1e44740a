import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** Resolved from the project's root, because the bundle that this file is part of lies elsewhere. */
const folder = join(dirname(findPackageJSON(import.meta.url) ?? ''), 'sandbox/stripe/browser');
const names = [
  'stripe.js',
  'wire.js',
  'card.html',
  'card.js',
  'card-rules.js',
  'card-style.js',
  'card.css',
].concat(['authenticate.html', 'authenticate.js', 'authenticate.css']);
const types = { html: 'text/html', css: 'text/css', js: 'text/javascript' };

/** The frames run only their own files, connect only to their own API, and may be embedded in any shop's page. */
const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src * data:",
  "base-uri 'none'; form-action 'none'; frame-ancestors *",
].join('; ');

/** Serves the browser script (/v3/) and the files of its frames. Each file is read once. */
export function openBrowserFiles(): (request: Request, name: string) => Response {
  const cache = new Map<string, { content: string; etag: string }>();
  return (request, path) => {
    const name = path === '' ? 'stripe.js' : path;
    if (!names.includes(name)) return new Response('Not found', { status: 404 });
    let file = cache.get(name);
    if (!file) {
      const content = readFileSync(join(folder, name), 'utf8');
      file = { content, etag: `"${createHash('sha256').update(content).digest('base64url')}"` };
      cache.set(name, file);
    }
    const type = name.endsWith('.html') ? 'html' : name.endsWith('.css') ? 'css' : 'js';
    const headers = new Headers({
      etag: file.etag,
      'cache-control': 'public, no-cache',
      'content-type': `${types[type]}; charset=utf-8`,
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    if (type === 'html') headers.set('content-security-policy', policy);
    if (request.headers.get('if-none-match')?.includes(file.etag)) {
      return new Response(null, { status: 304, headers });
    }
    return new Response(request.method === 'HEAD' ? null : file.content, { headers });
  };
}
