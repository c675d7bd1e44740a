import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { chooseEncoding, isKnown } from '../http/encoding.ts';

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.webp': 'image/webp',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/** Beside a file stands the same compressed, where that is worth it. */
const endings = { br: '.br', gzip: '.gz', identity: '' };

/** What the build names by content: a file that another build brought may have such a name. */
const hashed = /^\/static\/(js\/)?[\w-]+-[\w-]{8}\.\w+$/;

/**
 * Serves the built files of a folder. The folder is listed, and a path is only ever looked up in that list,
 * so no path leads out of it. It is listed again only when a build has been published since (`scripts/publish.ts`) and
 * somebody asks for what may be of that: a page that a newer process made, behind the same balancer. Any other miss costs
 * one look at the time of a file.
 */
export function createStaticFiles(folder: string) {
  let listed = list(folder);
  const kept = new Map<string, { content: Uint8Array<ArrayBuffer>; etag: string }>();

  function find(path: string) {
    const found = listed.files.get(path);
    if (found || !hashed.test(path) || publishedAt(folder) === listed.at) return found;
    listed = list(folder);
    return listed.files.get(path);
  }

  /** Undefined where a later build has removed it: it is older than a month. */
  function readBuilt(name: string) {
    const found = kept.get(name);
    if (found) return found;
    try {
      const content = new Uint8Array(readFileSync(join(folder, name)));
      const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 16)}"`;
      if (content.length <= 1_000_000) kept.set(name, { content, etag });
      return { content, etag };
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** The file at a path, compressed as the browser takes it; undefined where there is none. */
  return (path: string, request: Request): Response | undefined => {
    const file = find(path);
    if (!file) return undefined;
    const { names } = listed;
    const encoding = chooseEncoding(request.headers.get('accept-encoding'), (each) =>
      names.has(file.name + endings[each]),
    );
    const read = readBuilt(file.name + endings[encoding]);
    if (!read) return undefined;
    const { content, etag } = read;
    const headers = new Headers({
      'content-type': file.type,
      etag,
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      // Their names change with their content.
      'cache-control': 'public, max-age=31536000, immutable',
    });
    if (encoding !== 'identity') headers.set('content-encoding', encoding);
    if (isKnown(request.headers.get('if-none-match'), etag))
      return new Response(null, { status: 304, headers });
    headers.set('content-length', String(content.length));
    return new Response(request.method === 'HEAD' ? null : content, { headers });
  };
}

/** When a build was last published; 0 where that is not known. */
function publishedAt(folder: string): number {
  return statSync(join(folder, '.published'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function list(folder: string) {
  // Before the listing: what is published meanwhile is found at the next look.
  const at = publishedAt(folder);
  const names = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  const files = new Map<string, { name: string; type: string }>();
  for (const name of names) {
    const type = types[extname(name)];
    if (type) files.set(`/${name}`, { name, type });
  }
  return { at, names, files };
}
