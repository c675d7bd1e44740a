import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';

export type Encoding = 'br' | 'gzip' | 'identity';

const refused = String.raw`(?!\s*;\s*q=0(\.0*)?\s*(,|$))`;
const patterns = [
  ['br', new RegExp(String.raw`\bbr\b${refused}`)],
  ['gzip', new RegExp(String.raw`\bgzip\b${refused}`)],
] as const;

/** The smallest encoding of those `there` that an `Accept-Encoding` takes. */
export function chooseEncoding(
  accepted: string | null | undefined,
  isThere: (encoding: 'br' | 'gzip') => boolean = () => true,
): Encoding {
  if (!accepted) return 'identity';
  for (const [encoding, pattern] of patterns)
    if (isThere(encoding) && pattern.test(accepted)) return encoding;
  return 'identity';
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** `quality` is Brotli's, 0 to 11. */
export async function encode(
  text: string,
  encoding: Encoding,
  quality: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  if (encoding === 'identity') return bytes;
  if (encoding === 'gzip') return new Uint8Array(await zip(bytes));
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return new Uint8Array(await brotli(bytes, { params }));
}

/**
 * For what is made for one person, in a thread that does nothing else: as fast as it can be. A turn in Node's pool of
 * threads would cost more, and buffers that outlive it more than that.
 */
export function encodeSync(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  if (encoding === 'identity') return bytes;
  // Copied out of Node's pool: what is sent to another thread takes all of its buffer with it.
  return new Uint8Array(
    encoding === 'br' ? brotliCompressSync(bytes, fastest) : gzipSync(bytes, { level: 1 }),
  );
}

const fastest = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };

/** If-None-Match (RFC 9110, 13.1.2): `*`, or a list that names this tag, weak or not. */
export function matchesEtag(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  const tags = ifNoneMatch.split(',').map(bare);
  return tags.includes('*') || tags.includes(bare(etag));
}
