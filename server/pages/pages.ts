import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Manifest, Render, Viewer, WebSettings } from '../../contract/pages.ts';
import { createCrawlerFiles } from './crawlers.ts';
import { createFiles } from './files.ts';
import { contentPolicy } from './policy.ts';

type Options = {
  settings: WebSettings;
  /** The app itself: what a page shows it asks by the same calls as everybody else. */
  callApi: (request: Request) => Promise<Response>;
  /** The folder of the build, `dist`. */
  root: string;
  /** Told of errors that nobody foresaw. */
  report: (error: unknown, requestId: string) => void;
};

type Encoding = 'br' | 'gzip' | 'identity';
type Kept = { headers: Headers; bodies: Map<Encoding, Uint8Array<ArrayBuffer>>; html: string };

/** Pages that are the same for every visitor who is not signed in. */
const publicPaths = new Set(['/', '/blogs', '/login', '/signup']);

/** The shop's pages, rendered from the build in `root`, and the build's files. */
export function createPages({ settings, callApi, root, report }: Options) {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));
  const entry: Promise<{ render: Render }> = import(pathToFileURL(join(root, 'server/entry-server.js')).href);
  const builtFile = createFiles(join(root, 'web'));
  const crawlerFile = createCrawlerFiles(settings.origin, publicPaths, manifest.files['icon-32.png'] ?? '');
  const kept = new Map<string, Kept>();
  let generation = 0;

  async function page(request: Request, viewer: Viewer | undefined, requestId: string): Promise<Response> {
    const url = new URL(request.url);
    const anonymous = !request.headers.has('cookie') && !request.headers.has('authorization');
    const keepable = anonymous && publicPaths.has(url.pathname) && url.search === '';
    const found = keepable ? kept.get(url.pathname) : undefined;
    if (found) return send(request, found);

    const started = generation;
    const { render } = await entry;
    const rendered = await render({ request, callApi, viewer, settings, manifest, requestId });
    if (rendered.error !== undefined) report(rendered.error, requestId);
    const headers = new Headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache',
      vary: 'Cookie, Authorization, Accept-Encoding',
    });
    if (rendered.location !== undefined) {
      headers.set('location', rendered.location);
      return new Response(null, { status: rendered.status, headers });
    }
    headers.set('content-security-policy', contentPolicy(settings, manifest.stylesHash, rendered.takesCards));
    if (rendered.status !== 200 || !anonymous)
      return send(request, { headers, bodies: new Map(), html: rendered.html }, rendered.status);

    headers.set('cache-control', 'public, no-cache');
    headers.set('etag', `W/"${createHash('sha256').update(rendered.html).digest('base64url').slice(0, 16)}"`);
    const made: Kept = { headers, bodies: new Map(), html: rendered.html };
    // Something changed while it was made: the next visitor gets a newer one.
    if (keepable && started === generation) kept.set(url.pathname, made);
    return send(request, made);
  }

  return {
    page,
    file: (path: string, request: Request) => builtFile(path, request) ?? crawlerFile(path),
    /** A product or a review changed: public pages are made anew. */
    forget() {
      generation += 1;
      kept.clear();
    },
  };
}

async function send(request: Request, made: Kept, status = 200): Promise<Response> {
  const headers = new Headers(made.headers);
  const etag = headers.get('etag');
  if (etag && request.headers.get('if-none-match') === etag)
    return new Response(null, { status: 304, headers });
  const taken = request.headers.get('accept-encoding') ?? '';
  const encoding: Encoding = /\bbr\b/.test(taken) ? 'br' : /\bgzip\b/.test(taken) ? 'gzip' : 'identity';
  const body = made.bodies.get(encoding) ?? (await encode(made.html, encoding));
  made.bodies.set(encoding, body);
  if (encoding !== 'identity') headers.set('content-encoding', encoding);
  headers.set('content-length', String(body.length));
  return new Response(request.method === 'HEAD' ? null : body, { status, headers });
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

async function encode(html: string, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const text = new TextEncoder().encode(html);
  if (encoding === 'identity') return text;
  if (encoding === 'gzip') return new Uint8Array(await zip(text));
  // 5 of 11: as fast as gzip and smaller.
  return new Uint8Array(await brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }));
}
