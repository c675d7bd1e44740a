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
  /** The payment provider's API, which pages with a card form may call. */
  stripeApiUrl: string;
  /** The folder of the build, `dist`. */
  root: string;
  manifest: Manifest;
  renderer: Renderer;
  /** Logs an unexpected error. */
  report: (error: unknown, requestId: string) => void;
};

type PageVisit = {
  viewer: Viewer | undefined;
  /** The request has no credentials, so all visitors share the page: the response cache compresses it. */
  anonymous: boolean;
  requestId: string;
  call: PageCall;
  /** A form that was posted to the page, and what it may do. */
  post?: { form: PostedForm; actions: FormActions };
};

/** The pages in the sitemap. */
const publicPaths = new Set(['/', '/blogs', '/login', '/signup']);

/** Reads the manifest of the build in `root`. */
export function readManifest(root: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));
}

/** Serves the shop's pages and the files of the build. */
export function createPages({ settings, stripeApiUrl, root, manifest, renderer, report }: Options) {
  const { stylesHash } = manifest;
  const policies = createContentPolicies({ settings, stripeApiUrl, stylesHash });
  const serveStaticFile = createStaticFiles(join(root, 'web'));
  const serveCrawlerFile = createCrawlerFiles(
    settings.origin,
    publicPaths,
    manifest.files['icon-32.png'] ?? '',
  );

  async function servePage(request: Request, visit: PageVisit): Promise<Response> {
    const { anonymous, post, ...visitor } = visit;
    const loaded = await renderer.load({ ...visitor, url: toRenderableUrl(request.url), settings, post });
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
    servePage,
    serveFile: (path: string, request: Request) => serveStaticFile(path, request) ?? serveCrawlerFile(path),
  };
}

/** Control characters and line separators. No page's URL has them, and the router reports them as its own bugs. */
const controlCharacters = /[\p{Cc}\u2028\u2029]/u;

/** Replaces a URL that no page can have and that the router would warn about or fail on. */
function toRenderableUrl(url: string): string {
  const path = decodePath(new URL(url).pathname);
  return path === undefined || controlCharacters.test(path) ? new URL('/nowhere', url).href : url;
}

/** The decoded path, or undefined if an escape is malformed. */
function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
