import { type Selectable, sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import { ShopError } from '../../../contract/errors.ts';
import type { NewReview, Review } from '../../../contract/reviews.ts';
import type { Database } from '../../database/database.ts';
import type { Schema } from '../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../http/calls/idempotency.ts';
import { consumeRateLimit, dayMs } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { privateEmail } from '../../identity/accounts.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';

type ReviewRow = Selectable<Schema['review']>;

/** Newest first. Hidden reviews are listed apart: all of them for an admin, otherwise the viewer's own. */
export async function listReviews(
  { db }: Database,
  viewer: SessionUser | undefined,
  { hidden, limit, after }: { hidden: boolean; limit: number; after: string | undefined },
): Promise<ReviewRow[]> {
  if (hidden && !viewer) return [];
  return (
    db
      .selectFrom('review')
      .selectAll()
      // A literal, so that the database plans for this state: nearly all reviews are visible.
      .where('state', '=', sql.lit(hidden ? 'hidden' : 'visible'))
      .$if(hidden && viewer?.role !== 'admin', (query) => query.where('email', '=', viewer?.email ?? ''))
      .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  );
}

/**
 * Adds a review in the viewer's name and returns its id. Throws 429 once the viewer has written a day's worth. The
 * transaction counts the review only if it is added, so neither a rejected review nor an idempotent replay counts.
 */
export function addReview(
  shop: Shop,
  viewer: SessionUser,
  body: NewReview,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const id = uuidv7();
  const max = shop.rateLimits.reviewsPerUser;
  return runIdempotently(shop.database, idempotencyKey, id, async (tx) => {
    await consumeRateLimit({ db: tx }, `review ${viewer.id}`, max, {
      windowMs: dayMs,
      message: `You can write ${max} reviews a day`,
    });
    await shop.checkImage(tx, body.img);
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

/** Hides a review, changes the reason, or shows it again. Returns 1, or 0 if nothing changed. Throws 404. */
export function changeVisibility(
  database: Database,
  id: string,
  actor: SessionUser,
  to: Pick<ReviewRow, 'state' | 'hidden_reason'>,
): Promise<number> {
  return database.transaction(async (tx) => {
    const changed = await tx
      .updateTable('review')
      .set(to)
      .where('id', '=', id)
      .where((eb) => eb.or([eb('state', '<>', to.state), eb('hidden_reason', '<>', to.hidden_reason)]))
      .returning('name')
      .executeTakeFirst();
    if (changed) {
      const what = to.state === 'hidden' ? 'hideReview' : 'showReview';
      await writeAudit(tx, { who: actor.email, what, of: id, name: changed.name });
      return 1;
    }
    const existing = await tx.selectFrom('review').select('id').where('id', '=', id).executeTakeFirst();
    if (!existing) throw new ShopError('not_found', 'There is no such review.');
    return 0;
  });
}

/** Maps a review's columns to its fields on the wire. Only admins and the author see `email`. */
export function toReview(row: ReviewRow, viewer: SessionUser | undefined): Review {
  return {
    _id: row.id,
    name: row.name,
    ...privateEmail(row, viewer),
    rating: row.rating,
    reviews: row.text,
    img: row.image,
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.state === 'hidden' ? { hidden: { reason: row.hidden_reason } } : {}),
  };
}
