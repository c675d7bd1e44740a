import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** From the project's folder: this file may stand in a bundle, and its neighbours do not. */
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

/** The frames run only their own files, talk only to their own API, and may stand in any shop's page. */
const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src * data:",
  "base-uri 'none'; form-action 'none'; frame-ancestors *",
].join('; ');

/** The script of the browser (/v3/) and what its frames are made of; each file is read once. */
export function openBrowserFiles(): (request: Request, name: string) => Response {
  const read = new Map<string, { content: string; etag: string }>();
  return (request, asked) => {
    const name = asked === '' ? 'stripe.js' : asked;
    if (!names.includes(name)) return new Response('Not found', { status: 404 });
    let kept = read.get(name);
    if (!kept) {
      const content = readFileSync(join(folder, name), 'utf8');
      kept = { content, etag: `"${createHash('sha256').update(content).digest('base64url')}"` };
      read.set(name, kept);
    }
    const type = name.endsWith('.html') ? 'html' : name.endsWith('.css') ? 'css' : 'js';
    const headers = new Headers({
      etag: kept.etag,
      'cache-control': 'public, no-cache',
      'content-type': `${types[type]}; charset=utf-8`,
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    if (type === 'html') headers.set('content-security-policy', policy);
    if (request.headers.get('if-none-match')?.includes(kept.etag)) {
      return new Response(null, { status: 304, headers });
    }
    return new Response(request.method === 'HEAD' ? null : kept.content, { headers });
  };
}
