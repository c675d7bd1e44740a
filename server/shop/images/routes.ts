import { errorTable, ShopError } from '../../../contract/errors.ts';
import type { Uploaded } from '../../../contract/images.ts';
import type { Database } from '../../database/database.ts';
import { matchesEtag } from '../../http/encoding.ts';
import { createFairQueue } from '../../http/fair-queue.ts';
import { errorHeaders } from '../../http/problem.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { parseImagePath } from './addresses.ts';
import { createBodyBudget, type SetEvict } from './body-budget.ts';
import type { Decoder } from './decoder.ts';
import { deleteImage, findImage, hasImage, storeImage } from './images.ts';
import { checkFileSize, drainBody, readUpload } from './read-upload.ts';

/** A fraction of a process's concurrent requests, because waiting uploads are exempt from the minimum transfer rate. */
const maxWaitingUploads = 200;

/**
 * The shop's own image host. `countUpload` counts a user's upload against the rate limit and throws `too_many_tries`. Callers
 * authenticate the user.
 */
export function createImageHost({
  database,
  decoder,
  maxUploadBytes,
  countUpload,
}: {
  database: Database;
  decoder: Decoder;
  maxUploadBytes: number;
  countUpload: (email: string) => Promise<void>;
}) {
  // Further bodies of the same user wait in their sockets, not in our memory.
  const takeTurn = createFairQueue(2, maxWaitingUploads);
  const holdBody = createBodyBudget(maxUploadBytes);

  /** Reads a body that contains an image and passes it to `use`, within the limits per user and in total. */
  async function receive<Body, Result>(
    email: string,
    read: (count: (bytes: number) => void) => Promise<Body>,
    use: (body: Body, setEvict: SetEvict) => Promise<Result>,
  ): Promise<Result> {
    await countUpload(email);
    return takeTurn(email, () => {
      decoder.prepare();
      return holdBody(email, read, use);
    });
  }

  async function decodeAndStore(file: Uint8Array, email: string, setEvict: SetEvict): Promise<string> {
    const encoded = await decoder.decode(email, file, setEvict);
    await storeImage(database, encoded, email);
    return encoded.url;
  }

  /** Stores the image from a posted form and returns its URL. Throws the same errors as `upload`. */
  async function store(file: Uint8Array, email: string, setEvict: SetEvict): Promise<string> {
    checkFileSize(file);
    return decodeAndStore(file, email, setEvict);
  }

  /** `POST /1/upload`. Callers convert a `ShopError` to a response with `refuseUpload`. */
  async function upload(request: Request, { email }: Pick<SessionUser, 'email'>): Promise<Response> {
    try {
      const url = await receive(
        email,
        (count) => readUpload(request, count),
        (file, setEvict) => decodeAndStore(file, email, setEvict),
      );
      return respond({ success: true, status: 200, data: { url } });
    } catch (error) {
      await drainBody(request);
      throw error;
    }
  }

  /** `GET` or `HEAD /images/{hash}-{width}.webp`. */
  async function serve(request: Request, path: string): Promise<Response> {
    const address = parseImagePath(path);
    if (!address) return imageNotFound();
    const etag = `"${address.id}"`;
    const headers = {
      etag,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      // Opened directly, the response must not be able to run anything on our origin.
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      // Link previews on other sites show our images.
      'cross-origin-resource-policy': 'cross-origin',
    };
    if (matchesEtag(request.headers.get('if-none-match'), etag) && (await hasImage(database, address.id)))
      return new Response(null, { status: 304, headers });
    const image = await findImage(database, address.id);
    if (!image) return imageNotFound();
    return new Response(request.method === 'HEAD' ? null : new Uint8Array(image.bytes), {
      headers: { ...headers, 'content-type': image.type, 'content-length': String(image.bytes.length) },
    });
  }

  /** `DELETE /images/{hash}-{width}.webp`: an admin deletes an image in every width, even if it is used. */
  async function remove(
    path: string,
    { role, email }: Pick<SessionUser, 'role' | 'email'>,
  ): Promise<Response> {
    if (role !== 'admin') throw new ShopError('not_allowed', 'Only admins can delete images.');
    const address = parseImagePath(path);
    const deletedCount = address ? await deleteImage(database, address.hash, email) : 0;
    if (deletedCount === 0) throw new ShopError('not_found', 'There is no such image.');
    return Response.json({ deletedCount }, { headers: { 'cache-control': 'no-store' } });
  }

  return { receive, store, upload, serve, remove };
}

function imageNotFound(): Response {
  return new Response('There is no such image.', {
    status: 404,
    headers: { 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' },
  });
}

/** The response to a failed `POST /1/upload`, as the hosting protocol defines it. */
export function refuseUpload(error: ShopError): Response {
  const { code, message } = error;
  return respond(
    { success: false, status: errorTable[code].status, error: { message } },
    errorHeaders(error),
  );
}

function respond(body: Uploaded, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status: body.status, headers: { ...headers, 'cache-control': 'no-store' } });
}
