import type { Selectable } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { NewReview, Review } from '../../contract/reviews.ts';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import { privateEmail, type Viewer } from '../identity/viewer.ts';
import { type Once, writeOnce } from '../once.ts';
import type { Shop } from '../shop.ts';

type ReviewRow = Selectable<Schema['review']>;

/** The newest first. */
export function listReviews({ db }: Database, count: number, after?: string): Promise<ReviewRow[]> {
  const all = db.selectFrom('review').selectAll();
  const wanted = after === undefined ? all : all.where('id', '<', after);
  return wanted.orderBy('id', 'desc').limit(count).execute();
}

/** Writes a review in the name of who is signed in, and gives its id. */
export function addReview(
  shop: Shop,
  { viewer, body, once }: { viewer: Viewer; body: NewReview; once: Once | undefined },
): Promise<string> {
  const id = uuidv7();
  return writeOnce(shop.database, once, id, async (tx) => {
    await shop.judgeImage(tx, body.img);
    await tx
      .insertInto('review')
      .values({
        id,
        name: viewer.name,
        email: viewer.email,
        rating: body.rating,
        text: body.reviews,
        image: body.img,
        created_at: Date.now(),
      })
      .execute();
  });
}

/** A review as it goes over the wire; the author's e-mail only to an admin and to the author. */
export function toReview(row: ReviewRow, viewer: Viewer | undefined): Review {
  return {
    _id: row.id,
    name: row.name,
    ...privateEmail(row, viewer),
    rating: row.rating,
    reviews: row.text,
    img: row.image,
    createdAt: new Date(row.created_at).toISOString(),
  };
}
