import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  FormActions,
  Manifest,
  PageCall,
  PostedForm,
  Viewer,
  WebSettings,
} from '../../contract/pages.ts';
import { chooseEncoding } from '../http/encoding.ts';
import { createCrawlerFiles } from './crawlers.ts';
import { createStaticFiles } from './files.ts';
import { createContentPolicies } from './policy.ts';
import type { Renderer } from './renderer.ts';

type Options = {
  settings: WebSettings;
  /** Where the provider's API is; a page's script may ask it where cards are taken. */
  stripeApiUrl: string;
  /** The folder of the build, `dist`. */
  root: string;
  manifest: Manifest;
  renderer: Renderer;
  /** Told of errors that nobody foresaw. */
  report: (error: unknown, requestId: string) => void;
};

type Asked = {
  viewer: Viewer | undefined;
  /** The request is anonymous, so all visitors share the page: `kept.ts` compresses it. */
  anonymous: boolean;
  requestId: string;
  call: PageCall;
  /** A form that was posted to the page, and what it may do. */
  post?: { form: PostedForm; actions: FormActions };
};

/** Pages that search engines are told of. */
const publicPaths = new Set(['/', '/blogs', '/login', '/signup']);

/** What the build in `root` knows of itself. */
export function readManifest(root: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));
}

/** The shop's pages, rendered from the build in `root`, and the build's files. */
export function createPages({ settings, stripeApiUrl, root, manifest, renderer, report }: Options) {
  const { stylesHash } = manifest;
  const policies = createContentPolicies({ settings, stripeApiUrl, stylesHash });
  const builtFile = createStaticFiles(join(root, 'web'));
  const crawlerFile = createCrawlerFiles(settings.origin, publicPaths, manifest.files['icon-32.png'] ?? '');

  async function page(request: Request, asked: Asked): Promise<Response> {
    const { anonymous, post, ...visitor } = asked;
    const loaded = await renderer.load({ ...visitor, url: readable(request.url), settings, post });
    const headers = new Headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': post ? 'no-store' : 'private, no-cache',
      vary: 'Cookie, Authorization, Accept-Encoding',
    });
    if ('redirect' in loaded) {
      headers.set('location', loaded.redirect.location);
      return new Response(null, { status: loaded.redirect.status, headers });
    }
    const accepted = anonymous && !post ? null : request.headers.get('accept-encoding');
    const encoding = chooseEncoding(accepted);
    const { body, status, error = loaded.error } = await renderer.render(loaded.page, encoding);
    if (error !== undefined) report(error, visitor.requestId);
    headers.set('content-security-policy', policies[loaded.page.takesCards ? 'takesCards' : 'plain']);
    if (status === 405) headers.set('allow', 'GET, HEAD');
    if (anonymous && !post && status === 200) {
      headers.set('cache-control', 'public, no-cache');
      return new Response(body, { headers });
    }
    if (encoding !== 'identity') headers.set('content-encoding', encoding);
    headers.set('content-length', String(body.length));
    return new Response(request.method === 'HEAD' ? null : body, { status, headers });
  }

  return {
    manifest,
    page,
    file: (path: string, request: Request) => builtFile(path, request) ?? crawlerFile(path),
  };
}

/** Control characters and line separators. No page's address has them, and the router takes them for its own bugs. */
const controls = /[\p{Cc}\u2028\u2029]/u;

/** The address to render: an address that no page can have is replaced, since the router would warn about it or fail. */
function readable(url: string): string {
  const path = decodePath(new URL(url).pathname);
  return path === undefined || controls.test(path) ? new URL('/nowhere', url).href : url;
}

/** The decoded path, or undefined if an escape is malformed. */
function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
