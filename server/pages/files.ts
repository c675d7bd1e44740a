import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { chooseEncoding, matchesEtag } from '../http/encoding.ts';

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.webp': 'image/webp',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/** Suffixes of the compressed copies that the build writes next to a file. */
const suffixes = { br: '.br', gzip: '.gz', identity: '' };

/** Names with a content hash, which a file of a newer build has. */
const hashedName = /^\/static\/(js\/)?[\w-]+-[\w-]{8}\.\w+$/;

const maxCachedBytes = 1_000_000;

/**
 * Serves the built files of a folder. Paths are looked up in a listing of the folder, so none leads out of it. The folder
 * is listed again if a hashed name is unknown and a build has been published since (`scripts/publish.ts`): behind the same
 * load balancer, a newer process may have rendered the page. Any other miss costs at most one `stat`.
 */
export function createStaticFiles(folder: string) {
  let listing = list(folder);
  const cache = new Map<string, { content: Uint8Array<ArrayBuffer>; etag: string }>();

  function find(path: string) {
    const file = listing.files.get(path);
    if (file || !hashedName.test(path) || readPublishTime(folder) === listing.publishedAt) return file;
    listing = list(folder);
    return listing.files.get(path);
  }

  /** Returns undefined if a later build has removed the file, as builds do after a month. */
  function read(name: string) {
    const cached = cache.get(name);
    if (cached) return cached;
    try {
      const content = new Uint8Array(readFileSync(join(folder, name)));
      const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 16)}"`;
      if (content.length <= maxCachedBytes) cache.set(name, { content, etag });
      return { content, etag };
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Returns undefined if there is no such file. */
  return (path: string, request: Request): Response | undefined => {
    const file = find(path);
    if (!file) return undefined;
    const { names } = listing;
    const encoding = chooseEncoding(request.headers.get('accept-encoding'), (candidate) =>
      names.has(file.name + suffixes[candidate]),
    );
    const found = read(file.name + suffixes[encoding]);
    if (!found) return undefined;
    const { content, etag } = found;
    const headers = new Headers({
      'content-type': file.type,
      etag,
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      // A file's name changes with its content.
      'cache-control': 'public, max-age=31536000, immutable',
    });
    if (encoding !== 'identity') headers.set('content-encoding', encoding);
    if (matchesEtag(request.headers.get('if-none-match'), etag))
      return new Response(null, { status: 304, headers });
    headers.set('content-length', String(content.length));
    return new Response(request.method === 'HEAD' ? null : content, { headers });
  };
}

/** When a build was last published; 0 if unknown. */
function readPublishTime(folder: string): number {
  return statSync(join(folder, '.published'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function list(folder: string) {
  // Read first, so that a build published during the listing triggers another.
  const publishedAt = readPublishTime(folder);
  const names = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  const files = new Map<string, { name: string; type: string }>();
  for (const name of names) {
    const type = contentTypes[extname(name)];
    if (type) files.set(`/${name}`, { name, type });
  }
  return { publishedAt, names, files };
}
