import { type Selectable, sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import { contract } from '../../../contract/contract.ts';
import { notFound } from '../../../contract/errors.ts';
import type { NewReview, Review } from '../../../contract/reviews.ts';
import type { Schema } from '../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../http/calls/idempotency.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import { consumeRateLimit, dayMs } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { privateEmail } from '../../identity/accounts.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';
import { requireAccount } from '../users/account-lock.ts';

type ReviewRow = Selectable<Schema['review']>;

export function mountReviews(calls: Calls, shop: Shop): void {
  // Newest first. Hidden reviews are listed apart: all of them for an admin, otherwise the viewer's own.
  route(calls, contract.listReviews, async ({ query, viewer }) => {
    const hidden = query.hidden === 'true';
    if (hidden && !viewer) return [];
    const rows = await shop.database.db
      .selectFrom('review')
      .selectAll()
      // A literal, so that the database plans for this state: nearly all reviews are visible.
      .where('state', '=', sql.lit(hidden ? 'hidden' : 'visible'))
      .$if(hidden && viewer?.role !== 'admin', (own) => own.where('email', '=', viewer?.email ?? ''))
      .$if(query.after !== undefined, (next) => next.where('id', '<', query.after ?? ''))
      .orderBy('id', 'desc')
      .limit(toSqlLimit(query))
      .execute();
    return rows.map((row) => toReview(row, viewer));
  });

  route(calls, contract.addReview, async ({ viewer, body, idempotencyKey }) => {
    const insertedId = await addReview(shop, viewer, body, idempotencyKey);
    shop.invalidateCache();
    return { insertedId };
  });

  route(calls, contract.hideReview, async ({ viewer, params, body }) => ({
    modifiedCount: await changeVisibility(shop, params.id, viewer, 'hidden', body.reason),
  }));

  route(calls, contract.showReview, async ({ viewer, params }) => ({
    modifiedCount: await changeVisibility(shop, params.id, viewer, 'visible', ''),
  }));
}

/** Returns the review's id. Throws 429 once the viewer has written a day's worth. */
function addReview(
  shop: Shop,
  viewer: SessionUser,
  body: NewReview,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const id = uuidv7();
  const max = shop.rateLimits.reviewsPerUser;
  return runIdempotently(shop.database, idempotencyKey, id, async (tx) => {
    // In the transaction, so that neither a rejected review nor an idempotent replay counts.
    await consumeRateLimit({ db: tx }, `review ${viewer.id}`, max, {
      windowMs: dayMs,
      message: `You can write ${max} reviews a day`,
    });
    await requireAccount(tx, shop.database.engine, viewer.email);
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
async function changeVisibility(
  shop: Shop,
  id: string,
  actor: SessionUser,
  state: ReviewRow['state'],
  reason: string,
): Promise<number> {
  const count = await shop.database.transaction(async (tx) => {
    const changed = await tx
      .updateTable('review')
      .set({ state, hidden_reason: reason })
      .where('id', '=', id)
      .where((eb) => eb.or([eb('state', '<>', state), eb('hidden_reason', '<>', reason)]))
      .returning('name')
      .executeTakeFirst();
    if (changed) {
      const what = state === 'hidden' ? 'hideReview' : 'showReview';
      await writeAudit(tx, { who: actor.email, what, of: id, name: changed.name });
      return 1;
    }
    const existing = await tx.selectFrom('review').select('id').where('id', '=', id).executeTakeFirst();
    if (!existing) throw notFound('review');
    return 0;
  });
  shop.invalidateCache();
  return count;
}

/** Only admins and the author see `email`. */
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
