import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Db } from '../../database/schema.ts';
import { writeAudit } from '../audit/audit.ts';
import { type EncodedImage, parseImagePath } from './addresses.ts';

/** Unused images are kept this long, so that there is time to fill in the form they were uploaded for. */
const maxUnusedMs = 24 * 60 * 60 * 1000;

/** Stores an image in every width, or resets its age if it is already stored. */
export async function storeImage(
  database: Database,
  { hash, widths }: EncodedImage,
  email: string,
  now = Date.now(),
): Promise<void> {
  await database.transaction((tx) =>
    tx
      .insertInto('picture')
      .values(widths.map((width) => ({ ...width, hash, email, created_at: now })))
      .onConflict((c) => c.column('id').doUpdateSet({ created_at: now }))
      .execute(),
  );
}

export function findImage(
  { db }: Database,
  id: string,
): Promise<{ type: string; bytes: Uint8Array } | undefined> {
  return db.selectFrom('picture').select(['type', 'bytes']).where('id', '=', id).executeTakeFirst();
}

/** Like `findImage`, but does not read the bytes. */
export async function hasImage({ db }: Database, id: string): Promise<boolean> {
  const found = await db.selectFrom('picture').select('id').where('id', '=', id).executeTakeFirst();
  return found !== undefined;
}

/**
 * Whether `url` is the path of a stored image. Resets its age, so that it is not deleted before the row that will use it
 * is inserted. Inside a transaction, pass `{ db: tx }`.
 */
export async function touchImage({ db }: { db: Db }, url: string, now = Date.now()): Promise<boolean> {
  const address = parseImagePath(url);
  if (!address) return false;
  const touched = await db
    .updateTable('picture')
    .set({ created_at: now })
    .where('hash', '=', address.hash)
    .executeTakeFirst();
  return touched.numUpdatedRows > 0n;
}

/** Deletes an image in every width, whether it is used or not. Returns 1, or 0 if there is none. */
export async function deleteImage(database: Database, hash: string, actor: string): Promise<number> {
  return database.transaction(async (tx) => {
    const deleted = await tx.deleteFrom('picture').where('hash', '=', hash).executeTakeFirst();
    if (deleted.numDeletedRows === 0n) return 0;
    await writeAudit(tx, { who: actor, what: 'deletePicture', of: hash });
    return 1;
  });
}

/** Rows per call, which takes some milliseconds however many images there are. */
const sweepBatchSize = 1500;

/**
 * Deletes images that no product or review uses and that were last uploaded or submitted more than 24 hours ago. Each
 * call checks one batch, after the hash `after`. Returns the `after` of the next call, which is '' at the end.
 */
export async function deleteUnusedImages(database: Database, now: number, after = ''): Promise<string> {
  const rows = await database.db
    .selectFrom('picture')
    .select('hash')
    .where('hash', '>', after)
    .orderBy('hash')
    .limit(sweepBatchSize)
    .execute();
  const last = rows.at(-1)?.hash;
  if (last === undefined) return '';
  const paths = sql<string>`('/images/' || picture.hash || '-240.webp', '/images/' || picture.hash || '-480.webp', '/images/' || picture.hash || '-960.webp')`;
  await database.transaction((tx) =>
    tx
      .deleteFrom('picture')
      .where('hash', '>', after)
      .where('hash', '<=', last)
      .where('created_at', '<', now - maxUnusedMs)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('product').select('product.id').where('product.image', 'in', paths))),
      )
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('review').select('review.id').where('review.image', 'in', paths))),
      )
      .execute(),
  );
  return rows.length < sweepBatchSize ? '' : last;
}
