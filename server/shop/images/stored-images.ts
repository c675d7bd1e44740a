import { sql } from 'kysely';
import { notFound, ShopError } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Tx } from '../../database/schema.ts';
import { matchesEtag } from '../../http/encoding.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import { formatImagePath, parseImagePath } from './image-paths.ts';

/** `GET` or `HEAD /images/{hash}-{width}.webp`. */
export async function serveImage(
  { db }: Pick<Database, 'db'>,
  request: Request,
  path: string,
): Promise<Response> {
  const { id, hash } = parseImagePath(path) ?? {};
  if (!id) return imageNotFound();
  const etag = `"${id}"`;
  const headers = {
    etag,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    // If a browser opens the URL directly, the response must not be able to run anything on our origin.
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    // Link previews on other sites show our images.
    'cross-origin-resource-policy': 'cross-origin',
  };
  const stored = db.selectFrom('image').where('id', '=', id);
  const isKnown = matchesEtag(request.headers.get('if-none-match'), etag);
  // An image may have been deleted since. Don't read its bytes to find out.
  if (isKnown && (await stored.select('id').executeTakeFirst()))
    return new Response(null, { status: 304, headers });
  const image = await stored.select(['type', 'bytes']).executeTakeFirst();
  // Pages offer every image at 1,600 px, but small and older images are not stored at this width.
  if (!image && id.endsWith('-1600')) return serveImage({ db }, request, formatImagePath(`${hash}-960`));
  if (!image) return imageNotFound();
  return new Response(request.method === 'HEAD' ? null : new Uint8Array(image.bytes), {
    headers: { ...headers, 'content-type': image.type, 'content-length': String(image.bytes.length) },
  });
}

function imageNotFound(): Response {
  return new Response('There is no such image.', {
    status: 404,
    headers: { 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' },
  });
}

/** `DELETE /images/{hash}-{width}.webp`: an admin deletes an image in every width, even if it is used. */
export async function deleteImage(
  database: Database,
  path: string,
  viewer: Pick<SessionUser, 'id' | 'role' | 'email'>,
): Promise<Response> {
  if (viewer.role !== 'admin') throw new ShopError('not_allowed', 'Only admins can delete images.');
  const hash = parseImagePath(path)?.hash;
  await database.transaction(async (tx) => {
    const deleted = hash && (await tx.deleteFrom('image').where('hash', '=', hash).executeTakeFirst());
    if (!deleted || deleted.numDeletedRows === 0n) throw notFound('image');
    await writeAudit(tx, { ...toActor(viewer), action: 'deletePicture', target: hash });
  });
  return Response.json({ deletedCount: 1 }, { headers: { 'cache-control': 'no-store' } });
}

/** Unused images are kept this long, so that there is time to fill in the form they were uploaded for. */
const maxUnusedMs = 24 * 60 * 60 * 1000;

/** Rows per call. A call takes some milliseconds, however many images there are. */
const sweepBatchSize = 1500;

/**
 * Deletes images that no product or review uses and that were last uploaded or submitted more than 24 hours ago. Each
 * call checks one batch, after the hash `after`. Returns the `after` of the next call, which is '' at the end.
 */
export async function deleteUnusedImages(database: Database, now: number, after = ''): Promise<string> {
  const rows = await database.db
    .selectFrom('image')
    .select('hash')
    .where('hash', '>', after)
    .orderBy('hash')
    .limit(sweepBatchSize)
    .execute();
  const last = rows.at(-1)?.hash;
  if (last === undefined) return '';
  await database.transaction((tx) =>
    deleteUnused(tx)
      .where('hash', '>', after)
      .where('hash', '<=', last)
      .where('created_at', '<', now - maxUnusedMs)
      .execute(),
  );
  return rows.length < sweepBatchSize ? '' : last;
}

/** Deletes images that no product or review uses. The caller adds further conditions. */
export function deleteUnused(tx: Tx) {
  const paths = sql<string>`('/images/' || image.hash || '-240.webp', '/images/' || image.hash || '-480.webp', '/images/' || image.hash || '-960.webp', '/images/' || image.hash || '-1600.webp')`;
  return tx
    .deleteFrom('image')
    .where((eb) => eb.not(eb.exists(eb.selectFrom('product').select('id').where('image', 'in', paths))))
    .where((eb) => eb.not(eb.exists(eb.selectFrom('further_image').select('url').where('url', 'in', paths))))
    .where((eb) => eb.not(eb.exists(eb.selectFrom('review').select('id').where('image', 'in', paths))));
}
