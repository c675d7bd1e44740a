import { ShopError } from '../../contract/errors.ts';

/** How much of a body that is too large is read all the same, so that the client gets to read the 413. */
const drain = 10_000_000;
const mostJson = 100_000;
/** Far more than any call has; what is nested by the thousand makes whoever walks through it overflow the stack. */
const mostLevels = 20;

type Reading = {
  /** The message of the 413. */
  tooLarge?: string;
  /** Called with the size of each piece as it arrives. */
  onChunk?: (bytes: number) => void;
};

/** A body of at most `limit` bytes. Throws 413 if it is larger, and 400 if the connection ends before it does. */
export async function readBody(
  request: Request,
  limit: number,
  { tooLarge = `The body is larger than ${limit} bytes.`, onChunk: count }: Reading = {},
): Promise<Buffer<ArrayBuffer>> {
  const { bytes, whole } = await readBodyStart(request, limit, count);
  if (!whole) throw new ShopError('too_large', tooLarge);
  return bytes;
}

/** The first `limit` bytes of a body at most, and whether they are all of it. Throws 400 if it is cut off. */
export async function readBodyStart(
  request: Request,
  limit: number,
  count?: Reading['onChunk'],
): Promise<{ bytes: Buffer<ArrayBuffer>; whole: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // A body that says how long it is, and is not too long, comes in one piece, which costs a third of a stream.
    if (!count && Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY) <= limit) {
      const whole = Buffer.from(await request.arrayBuffer());
      size = whole.length;
      if (size <= limit) return { bytes: whole, whole: true };
    }
    for await (const chunk of request.body ?? []) {
      size += chunk.length;
      if (size <= limit) {
        count?.(chunk.length);
        chunks.push(chunk);
      } else if (size > limit + drain) break;
    }
  } catch (cause) {
    throw new ShopError('unreadable', 'What was sent broke off on its way. Please try again.', { cause });
  }
  return { bytes: Buffer.concat(chunks), whole: size <= limit };
}

/** A JSON body of at most 100 KB. Throws 415, 413 or 400. */
export async function readJson(request: Request): Promise<unknown> {
  judgeType(request);
  return parseJson(await readBody(request, mostJson));
}

/** As `readJson`; undefined where there is no body at all. */
export async function readOptionalJson(request: Request): Promise<unknown> {
  const bytes = await readBody(request, mostJson);
  if (bytes.length === 0) return undefined;
  judgeType(request);
  return parseJson(bytes);
}

function judgeType({ headers }: Request): void {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new ShopError('wrong_type', 'Send the body as application/json.');
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    const sent: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (!isDeeper(sent, mostLevels)) return sent;
  } catch {
    throw new ShopError('unreadable', 'The body is not valid JSON.');
  }
  throw new ShopError('unreadable', 'The body is nested too deeply.');
}

/** Whether lists and objects stand within one another more than `levels` deep. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** The token of an `Authorization` header, or undefined where that is of another kind (RFC 6750, 2.1). */
export const readBearer = (authorization: string): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization)?.[1];
