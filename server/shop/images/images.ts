import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Db } from '../../database/schema.ts';
import { writeAudit } from '../audit/audit.ts';
import { type EncodedImage, parseImagePath } from './addresses.ts';

/** How long a picture that nothing uses is kept: time enough to fill in the form that it was uploaded for. */
const unusedFor = 24 * 60 * 60 * 1000;

/** Stores a picture in all its widths. One that is there already counts as new again. */
export async function storeImage(
  database: Database,
  { hash, widths }: EncodedImage,
  email: string,
  now = Date.now(),
): Promise<void> {
  await database.transaction((tx) =>
    tx
      .insertInto('picture')
      .values(widths.map((one) => ({ ...one, hash, email, created_at: now })))
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
 * Whether `url` is the address of a picture here. One that is counts as new again: the sweep cannot take it
 * between this answer and the row that is about to use it. Within a transaction, hand it over: `{ db: tx }`.
 */
export async function touchImage({ db }: { db: Db }, url: string, now = Date.now()): Promise<boolean> {
  const address = parseImagePath(url);
  if (!address) return false;
  const kept = await db
    .updateTable('picture')
    .set({ created_at: now })
    .where('hash', '=', address.hash)
    .executeTakeFirst();
  return kept.numUpdatedRows > 0n;
}

/** Removes a picture in all its widths, used or not; says how many pictures that were: 1 or 0. */
export async function deleteImage(database: Database, hash: string, who: string): Promise<number> {
  return database.transaction(async (tx) => {
    const removed = await tx.deleteFrom('picture').where('hash', '=', hash).executeTakeFirst();
    if (removed.numDeletedRows === 0n) return 0;
    await writeAudit(tx, { who, what: 'deletePicture', of: hash });
    return 1;
  });
}

/** How many are looked at in one go: some milliseconds, however many pictures there are. */
const batch = 1500;

/**
 * Removes the pictures that no product or review shows and that nobody has uploaded or named for 24 hours, of
 * a number of them behind the hash `after`. Gives where to go on the next time, '' at the end.
 */
export async function deleteUnusedImages(database: Database, now: number, after = ''): Promise<string> {
  const rows = await database.db
    .selectFrom('picture')
    .select('hash')
    .where('hash', '>', after)
    .orderBy('hash')
    .limit(batch)
    .execute();
  const last = rows.at(-1)?.hash;
  if (last === undefined) return '';
  const addresses = sql<string>`('/images/' || picture.hash || '-240.webp', '/images/' || picture.hash || '-480.webp', '/images/' || picture.hash || '-960.webp')`;
  await database.transaction((tx) =>
    tx
      .deleteFrom('picture')
      .where('hash', '>', after)
      .where('hash', '<=', last)
      .where('created_at', '<', now - unusedFor)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('product').select('product.id').where('product.image', 'in', addresses))),
      )
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('review').select('review.id').where('review.image', 'in', addresses))),
      )
      .execute(),
  );
  return rows.length < batch ? '' : last;
}
