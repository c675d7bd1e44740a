import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AskCall, Manifest, PagePaths, Render, Viewer, WebSettings } from '../../contract/pages.ts';
import { chooseEncoding } from '../encoding.ts';
import { loadOnce } from '../loaded.ts';
import { createCrawlerFiles } from './crawlers.ts';
import { createFiles } from './files.ts';
import { contentPolicies } from './policy.ts';
import { createSplicer } from './spliced.ts';

type Options = {
  settings: WebSettings;
  /** Where the provider's API is; a page's script may ask it where cards are taken. */
  stripeApiUrl: string;
  /** The folder of the build, `dist`. */
  root: string;
  /** Told of errors that nobody foresaw. */
  report: (error: unknown, requestId: string) => void;
};

type Asked = {
  viewer: Viewer | undefined;
  /** The request names nobody, so that the page is everybody's (`kept.ts` compresses it). */
  anonymous: boolean;
  requestId: string;
  askCall: AskCall;
};

type Entry = { render: Render; paths: PagePaths };

/** Pages that search engines are told of. */
const publicPaths = new Set(['/', '/blogs', '/login', '/signup']);

/** The shop's pages, rendered from the build in `root`, and the build's files. */
export function createPages({ settings, stripeApiUrl, root, report }: Options) {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));
  let paths: Entry['paths'] | undefined;
  const loadEntry = loadOnce(async (): Promise<Entry> => {
    const entry: Entry = await import(pathToFileURL(join(root, 'server/entry-server.js')).href);
    paths = entry.paths;
    return entry;
  });
  // Ahead of the first page; where it fails now, the page says so.
  loadEntry().catch(() => undefined);
  const { stylesHash } = manifest;
  const policies = contentPolicies({ settings, stripeApiUrl, stylesHash });
  const compress = createSplicer(manifest.styles);
  const builtFile = createFiles(join(root, 'web'));
  const crawlerFile = createCrawlerFiles(settings.origin, publicPaths, manifest.files['icon-32.png'] ?? '');

  async function page(request: Request, { viewer, anonymous, requestId, askCall }: Asked): Promise<Response> {
    const { render } = await loadEntry();
    const rendered = await render({
      request: readable(request),
      requestId,
      askCall,
      viewer,
      settings,
      manifest,
    });
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
    headers.set('content-security-policy', policies[rendered.takesCards ? 'takesCards' : 'plain']);
    if (anonymous && rendered.status === 200) {
      headers.set('cache-control', 'public, no-cache');
      return new Response(rendered.html, { headers });
    }
    // One person's, and made for each request.
    const zip = chooseEncoding(request.headers.get('accept-encoding'), (each) => each === 'gzip') === 'gzip';
    const body = zip ? compress(rendered.html) : Buffer.from(rendered.html);
    if (zip) headers.set('content-encoding', 'gzip');
    headers.set('content-length', String(body.length));
    return new Response(request.method === 'HEAD' ? null : body, { status: rendered.status, headers });
  }

  return {
    manifest,
    page,
    /** The pages' addresses by their ids, once their code has been loaded. */
    paths: () => paths,
    file: (path: string, request: Request) => builtFile(path, request) ?? crawlerFile(path),
  };
}

/** Control characters and line ends: no page's address has them, and the router takes them for a fault of its own. */
const controls = /%[01][\da-f]|%7f|%c2%[89][\da-f]|%e2%80%a[89]/i;

/** An address that no page can have is one that no page has; the router would fail at it, or complain of it. */
function readable(request: Request): Request {
  const { pathname } = new URL(request.url);
  try {
    decodeURIComponent(pathname);
    if (!controls.test(pathname)) return request;
  } catch {
    // It cannot be decoded.
  }
  return new Request(new URL('/nowhere', request.url), { headers: request.headers });
}
