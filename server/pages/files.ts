import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { chooseEncoding, isKnown } from '../encoding.ts';

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

/**
 * Serves the built files of a folder. The folder is listed once and a path is only ever looked up in that list,
 * so no path leads out of it.
 */
export function createFiles(folder: string) {
  const names = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  const files = new Map<string, { name: string; type: string }>();
  for (const name of names) {
    const type = types[extname(name)];
    if (!type) continue;
    files.set(`/${name}`, { name, type });
  }
  const kept = new Map<string, { content: Uint8Array<ArrayBuffer>; etag: string }>();

  function read(name: string) {
    const found = kept.get(name);
    if (found) return found;
    const content = new Uint8Array(readFileSync(join(folder, name)));
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 16)}"`;
    if (content.length <= 1_000_000) kept.set(name, { content, etag });
    return { content, etag };
  }

  /** The file at a path, compressed as the browser takes it; undefined where there is none. */
  return (path: string, request: Request): Response | undefined => {
    const file = files.get(path);
    if (!file) return undefined;
    const encoding = chooseEncoding(request.headers.get('accept-encoding'), (each) =>
      names.has(file.name + endings[each]),
    );
    const { content, etag } = read(file.name + endings[encoding]);
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
