import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import { dayMs } from '../../contract/durations.ts';
import {
  basketPage,
  contactPage,
  dashboardPage,
  loginPage,
  productsPage,
  purchasePages,
  signUpPage,
} from '../../contract/page-addresses.ts';
import type { WebSettings } from '../../contract/pages.ts';
import { codeOf } from '../database/errors.ts';
import { chooseEncoding, matchesEtag } from '../http/encoding.ts';

/** Suffixes of the compressed copies that the build writes next to a file. */
const suffixes = { br: '.br', gzip: '.gz', identity: '' };

/** Names with a content hash; only such a file can come from a newer build. */
const hashedName = /^\/static\/(js\/)?[\w-]+-[\w-]{8}\.\w+$/;

/** Larger than any built file. Responses share the cached bytes, so a response that is not read takes no memory. */
const maxCachedBytes = 4_000_000;

/**
 * Serves the built files of a folder. Paths are looked up in a listing of the folder, so no path can escape it. Behind a load
 * balancer, a newer process may have rendered the page. So the folder is listed again if a hashed name is unknown and a build has
 * been published since (`scripts/publish.ts`). Any other miss costs at most one `stat`.
 */
export function createStaticFiles(folder: string) {
  let listing = list(folder);
  const cache = new Map<string, { content: Uint8Array<ArrayBuffer>; etag: string }>();

  function isListed(path: string): boolean {
    if (listing.paths.has(path)) return true;
    if (!hashedName.test(path) || readPublishTime(folder) === listing.publishedAt) return false;
    listing = list(folder);
    return listing.paths.has(path);
  }

  /** Returns undefined if a later build has removed the file, as builds do after a month. */
  function read(path: string) {
    const cached = cache.get(path);
    if (cached) return cached;
    try {
      const content = new Uint8Array(readFileSync(join(folder, path)));
      const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 16)}"`;
      if (content.length <= maxCachedBytes) cache.set(path, { content, etag });
      return { content, etag };
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  return (path: string, request: Request): Response | undefined => {
    // A compressed copy is served only under its original's name; `.br` has no MIME type anyway.
    const type = path.endsWith(suffixes.gzip) ? undefined : getMimeType(path);
    if (!type || !isListed(path)) return undefined;
    const encoding = chooseEncoding(request.headers.get('accept-encoding'), (candidate) =>
      listing.paths.has(path + suffixes[candidate]),
    );
    const file = read(path + suffixes[encoding]);
    if (!file) return undefined;
    const headers = new Headers({
      'content-type': type,
      etag: file.etag,
      vary: 'accept-encoding',
      // A file's name changes with its content.
      'cache-control': 'public, max-age=31536000, immutable',
    });
    if (encoding !== 'identity') headers.set('content-encoding', encoding);
    if (matchesEtag(request.headers.get('if-none-match'), file.etag))
      return new Response(null, { status: 304, headers });
    headers.set('content-length', String(file.content.length));
    return new Response(file.content, { headers });
  };
}

function readPublishTime(folder: string): number {
  return statSync(join(folder, '.published'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function list(folder: string) {
  // Read the time first, so that a build published during the listing triggers another listing.
  const publishedAt = readPublishTime(folder);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return { publishedAt, paths: new Set(names.map((name) => `/${name}`)) };
}

const securityTextDays = 180;

/** Serves /robots.txt, /favicon.ico and, with a contact form, security.txt. `icon` is the URL of the small icon. */
export function createCrawlerFiles({ origin, openCatalogue, contact }: WebSettings, icon: string) {
  const robots = `User-agent: *
Disallow: /api/
Disallow: ${basketPage}
Disallow: ${dashboardPage}
Disallow: ${loginPage}?
Disallow: ${signUpPage}?
${openCatalogue ? openCatalogueRules : closedCatalogueRules}
Sitemap: ${origin}/sitemap.xml
`;

  return (path: string): Response | undefined => {
    if (path === '/robots.txt') return textResponse(robots);
    // https://www.rfc-editor.org/rfc/rfc9116: it expires, so that nobody relies on a copy for longer than a year.
    if (path === '/.well-known/security.txt' && contact) {
      const expires = new Date(Math.ceil(Date.now() / dayMs + securityTextDays) * dayMs).toISOString();
      return textResponse(`Contact: ${origin}${contactPage}
Expires: ${expires}
Preferred-Languages: en
Canonical: ${origin}${path}
`);
    }
    // For clients that do not read `<link rel="icon">`.
    if (path === '/favicon.ico') return new Response(null, { status: 302, headers: { location: icon } });
    return undefined;
  };
}

const textResponse = (text: string) =>
  new Response(text, {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=3600' },
  });

const closedCatalogueRules = `Disallow: ${productsPage}
Disallow: ${purchasePages}/`;

/**
 * Crawlers read the catalogue and its categories page by page, but no other filters: their combinations have no end. The
 * longest matching rule wins.
 */
const openCatalogueRules = `Disallow: ${productsPage}?
Allow: ${productsPage}?after=
Allow: ${productsPage}?category=
Disallow: ${productsPage}?category=*&
Allow: ${productsPage}?category=*&after=
Disallow: ${purchasePages}/*?*continue=
Disallow: ${purchasePages}/*?*reviews=`;
