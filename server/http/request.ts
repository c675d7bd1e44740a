import { ShopError } from '../../contract/errors.ts';
import { yieldToEventLoop } from '../config/event-loop.ts';

/** How much of an oversized body is read anyway, so that the client gets to read the 413. */
const maxDrainBytes = 10_000_000;
/** The cost of a chunk besides its bytes. It matters because a client may send a body byte by byte. */
export const chunkOverheadBytes = 256;
/**
 * The number of chunks that are kept separately. Further chunks are joined, because a body of a million chunks would take 180 MB.
 */
const maxChunks = 2000;
const maxJsonBytes = 100_000;
/** Larger bodies that arrive together are parsed with pauses in between. */
const maxQuickBytes = 10_000;
/** Far more than any call needs. Walking a JSON value nested thousands of levels deep would overflow the stack. */
const maxJsonDepth = 20;
/** Far more than our own forms need. */
const maxPartHeaderBytes = 8192;
/** The largest form assigns a refund to the 50 orders of a purchase, with three fields for each. */
const maxParts = 160;

/** Called with the size of each chunk of a body as it arrives. A `ShopError` that it throws ends the reading. */
type OnChunk = (bytes: number) => void;

/** Reads a body of at most `limit` bytes. Throws 413 (`tooLarge`) if it is larger, and 400 if the connection is closed early. */
export async function readBody(
  request: Request,
  limit: number,
  tooLarge = `The body is larger than ${limit} bytes.`,
  onChunk?: OnChunk,
): Promise<Buffer<ArrayBuffer>> {
  const { bytes, whole } = await readBodyStart(request, limit, onChunk);
  if (!whole) throw new ShopError('too_large', tooLarge);
  return bytes;
}

/** Bodies are never decompressed. */
export const compressedBody = () => new ShopError('unreadable', 'Send the body without compression.');

/**
 * Reads at most `limit` bytes of a body. `whole` is true if the body has no more. Throws 400 if the body is compressed or the
 * connection is closed early.
 */
export async function readBodyStart(
  request: Request,
  limit: number,
  onChunk?: OnChunk,
): Promise<{ bytes: Buffer<ArrayBuffer>; whole: boolean }> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  let overhead = 0;
  if (!/^identity$/i.test(request.headers.get('content-encoding') ?? 'identity')) throw compressedBody();
  try {
    // For a short body, `arrayBuffer` takes a third of the time of streaming, but it holds every chunk separately until the end.
    const length = Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY);
    if (!onChunk && length <= Math.min(limit, maxChunks)) {
      const whole = Buffer.from(await request.arrayBuffer());
      size = whole.length;
      if (size <= limit) return { bytes: whole, whole: true };
    }
    for await (const chunk of request.body ?? []) {
      size += chunk.length;
      overhead += chunkOverheadBytes;
      if (size <= limit) {
        onChunk?.(chunk.length);
        if (chunks.length === maxChunks) chunks = [Buffer.concat(chunks)];
        chunks.push(chunk);
      } else if (size + overhead > limit + maxDrainBytes) break;
    }
  } catch (cause) {
    if (cause instanceof ShopError) throw cause;
    throw new ShopError('unreadable', 'The request was interrupted. Please try again.', { cause });
  }
  return { bytes: Buffer.concat(chunks), whole: size <= limit };
}

/**
 * Reads a JSON body of at most 100 KB. An empty body is undefined if `optional` is set. Throws 415 for another content type, 413
 * for a larger body, and 400 if the body cannot be read.
 */
export async function readJson(request: Request, { optional = false } = {}): Promise<unknown> {
  const type = readMediaType(request);
  const wrongType = () => new ShopError('wrong_type', 'Send the body as application/json.');
  if (type !== 'application/json' && !optional) throw wrongType();
  const bytes = await readBody(request, maxJsonBytes);
  if (optional && bytes.length === 0) return undefined;
  if (type !== 'application/json') throw wrongType();
  // Parsing and checking takes up to 20 ms, during which nothing else runs.
  if (bytes.length > maxQuickBytes) await yieldToEventLoop();
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (!isDeeper(value, maxJsonDepth)) return value;
  } catch {
    throw new ShopError('unreadable', 'The body is not valid JSON.');
  }
  throw new ShopError('unreadable', 'The body is nested too deeply.');
}

/**
 * Reads a file of at most `maxBytes`. Throws 415 if it is not of the content type `type`, 413 if it is larger, and 400 if it cannot
 * be read.
 */
export async function readFile(
  request: Request,
  type: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  if (readMediaType(request) !== type) throw new ShopError('wrong_type', `Send the file as ${type}.`);
  return readBody(request, maxBytes, `The file is larger than ${maxBytes / 1_000_000} MB.`);
}

const readMediaType = (request: Request) =>
  request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();

/** Whether arrays and objects are nested more than `levels` deep. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** The bearer token in an `Authorization` header (RFC 6750, 2.1); undefined for any other scheme. */
export const readBearer = (authorization: string): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization)?.[1];

/** The file in a field. Undefined if none was chosen: browsers then send an empty file without a name. */
export function findFile(body: Buffer, contentType: string, field: string): Uint8Array | undefined {
  return listParts(body, contentType).find(
    ({ name, fileName, content }) =>
      name === field && fileName !== undefined && (fileName || content.length > 0),
  )?.content;
}

/**
 * The parts of a multipart/form-data body (RFC 7578), as views of it, up to the first malformed part.
 * `Request.formData()` is not used: a 10 MB body of many small parts would block the event loop for over a second.
 */
export function* listParts(body: Buffer, contentType: string) {
  const boundary = readBoundary(contentType);
  if (!boundary) return;
  const opening = `--${boundary}`;
  let at = body.indexOf(opening);
  for (let part = 0; part < maxParts && at >= 0; part++) {
    const headersAt = at + opening.length;
    const headersEnd = body.subarray(headersAt, headersAt + maxPartHeaderBytes).indexOf('\r\n\r\n');
    if (headersEnd < 0) return;
    const contentAt = headersAt + headersEnd + 4;
    const contentEnd = body.indexOf(`\r\n${opening}`, contentAt);
    if (contentEnd < 0) return;
    const headers = body.toString('utf8', headersAt, contentAt);
    yield { ...readDisposition(headers), content: body.subarray(contentAt, contentEnd) };
    at = contentEnd + 2;
  }
}

/** The boundary in a multipart/form-data content type. */
export function readBoundary(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return undefined;
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  return quoted ?? bare;
}

/** `fileName` is undefined for a text field, and empty if no file was chosen. */
function readDisposition(headers: string) {
  const disposition = /^content-disposition:\s*form-data(;.*)$/im.exec(headers)?.[1] ?? '';
  const [, quoted, bare] = /;\s*name=(?:"([^"]*)"|([^\s;"]*))/i.exec(disposition) ?? [];
  const [, file] = /;\s*filename\*?=("?[^";]*)/i.exec(disposition) ?? [];
  return { name: quoted ?? bare ?? '', fileName: file?.replace('"', '') };
}
