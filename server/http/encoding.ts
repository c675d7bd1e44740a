import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';

export type Encoding = 'br' | 'gzip' | 'identity';

const notRejected = String.raw`(?!\s*;\s*q=0(\.0*)?\s*(,|$))`;
const patterns = [
  ['br', new RegExp(String.raw`\bbr\b${notRejected}`)],
  ['gzip', new RegExp(String.raw`\bgzip\b${notRejected}`)],
] as const;

/** The smallest available encoding that `Accept-Encoding` allows. */
export function chooseEncoding(
  accepted: string | null | undefined,
  isAvailable: (encoding: 'br' | 'gzip') => boolean = () => true,
): Encoding {
  const chosen = patterns.find(([name, pattern]) => isAvailable(name) && pattern.test(accepted ?? ''));
  return chosen?.[0] ?? 'identity';
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
 * Encodes as fast as possible, for responses that only one user gets. It blocks, so call it only in a render thread. There,
 * handing the work to Node's thread pool would cost more than doing it.
 */
export function encodeSync(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> {
  if (encoding === 'identity') return encoder.encode(text);
  // UTF-8 takes at most three bytes for each unit of a string.
  if (scratch.length < text.length * 3) scratch = new Uint8Array(text.length * 3);
  const bytes = scratch.subarray(0, encoder.encodeInto(text, scratch).written);
  // Copied out of Node's buffer pool: transferring a view to another thread transfers its whole buffer.
  return new Uint8Array(
    encoding === 'br' ? brotliCompressSync(bytes, fastest) : gzipSync(bytes, { level: 1 }),
  );
}

const encoder = new TextEncoder();
/** Reused, because allocating it for each page would take longer than filling it. */
let scratch = new Uint8Array(0);

const fastest = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 0,
    // A window of 256 KB covers a page. Node's default of 4 MB takes longer to allocate.
    [constants.BROTLI_PARAM_LGWIN]: 18,
  },
  // Node's default of 16 KB would compress a page in several steps.
  chunkSize: 64 * 1024,
};

/** A weak ETag for a response that changes only when `text` does. */
export const computeEtag = (text: string): string =>
  `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`;

/** Whether If-None-Match (RFC 9110, 13.1.2) is `*` or lists this tag, weak or strong. */
export function matchesEtag(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false;
  const toStrong = (tag: string) => tag.trim().replace(/^W\//, '');
  const tags = ifNoneMatch.split(',').map(toStrong);
  return tags.includes('*') || tags.includes(toStrong(etag));
}
