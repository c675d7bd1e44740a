import { ShopError } from './errors.ts';

/** How much of a body that is too large is read all the same, so that the client gets to read the 413. */
const drain = 10_000_000;
const mostJson = 100_000;

/** A body of at most `limit` bytes. Throws 413 where it is larger. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else {
      chunks.length = 0;
      if (size > limit + drain) break;
    }
  }
  if (size > limit) throw new ShopError('too_large', `The body is larger than ${limit} bytes.`);
  return new Uint8Array(Buffer.concat(chunks));
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
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ShopError('unreadable', 'The body is not valid JSON.');
  }
}
