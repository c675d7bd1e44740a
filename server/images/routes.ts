import type { Uploaded } from '../../contract/images.ts';
import type { Database } from '../database/database.ts';
import { errorTable, ShopError } from '../errors.ts';
import { headersOf } from '../problem.ts';
import { createTurns } from '../turns.ts';
import { readAddress } from './addresses.ts';
import { encodePicture } from './encode.ts';
import { findPicture, removePicture, storePicture } from './pictures.ts';
import { drain, readUpload } from './upload.ts';

export type Viewer = { email: string; role?: 'admin' | undefined };

/**
 * The shop's own image host. `takeTry` counts an upload of that person; it throws `too_many_tries`.
 * Who is asking is judged by the caller.
 */
export function createImages({
  database,
  takeTry,
}: {
  database: Database;
  takeTry: (email: string) => Promise<void>;
}) {
  // A body is read only at its turn; until then it waits in its socket, not in our memory.
  const takeTurn = createTurns(2);

  /** `POST /1/upload` by a signed-in person. Answers its errors in the hosting protocol's own shape. */
  async function upload(request: Request, viewer: Viewer): Promise<Response> {
    try {
      await takeTry(viewer.email);
      const url = await takeTurn(viewer.email, async () => {
        const encoded = await encodePicture(await readUpload(request));
        await storePicture(database, encoded, viewer.email);
        return encoded.url;
      });
      return answer({ success: true, status: 200, data: { url } });
    } catch (error) {
      if (!(error instanceof ShopError)) throw error;
      await drain(request);
      return refuseUpload(error);
    }
  }

  /** `GET` or `HEAD /images/{hash}-{width}.webp`. */
  async function serve(request: Request, path: string): Promise<Response> {
    const address = readAddress(path);
    const picture = address && (await findPicture(database, address.id));
    if (!picture) {
      return new Response('There is no such picture.', {
        status: 404,
        headers: { 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' },
      });
    }
    const etag = `"${address.id}"`;
    const headers = {
      etag,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      // Whoever opens the address itself gets a picture and nothing that could act on our origin.
      'content-security-policy': "default-src 'none'; sandbox",
      // Previews of our pages elsewhere show our pictures.
      'cross-origin-resource-policy': 'cross-origin',
    };
    if (isKnown(request.headers.get('if-none-match'), etag))
      return new Response(null, { status: 304, headers });
    return new Response(request.method === 'HEAD' ? null : new Uint8Array(picture.bytes), {
      headers: { ...headers, 'content-type': picture.type, 'content-length': String(picture.bytes.length) },
    });
  }

  /** `DELETE /images/{hash}-{width}.webp`: an admin removes the picture, in all its widths, even while used. */
  async function remove(path: string, viewer: Viewer): Promise<Response> {
    if (viewer.role !== 'admin') throw new ShopError('not_allowed', 'Only an admin removes pictures.');
    const address = readAddress(path);
    const deletedCount = address ? await removePicture(database, address.hash) : 0;
    if (deletedCount === 0) throw new ShopError('not_found', 'There is no such picture.');
    return Response.json({ deletedCount }, { headers: { 'cache-control': 'no-store' } });
  }

  return { upload, serve, remove };
}

/** An error of `POST /1/upload`, in the hosting protocol's own shape. */
export function refuseUpload(error: ShopError): Response {
  const { code, message } = error;
  return answer({ success: false, status: errorTable[code].status, error: { message } }, headersOf(error));
}

function answer(body: Uploaded, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status: body.status, headers: { ...headers, 'cache-control': 'no-store' } });
}

/** If-None-Match (RFC 9110, 13.1.2): `*`, or a list that names this tag, weak or not. */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes('*') || tags.includes(etag);
}
