import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { NewReview, ReviewEdit } from '../../../contract/catalogue/reviews.ts';
import { dayMs } from '../../../contract/durations.ts';
import { notFound, ShopError } from '../../../contract/errors.ts';
import { readIdTime } from '../../database/id-range.ts';
import type { Db, Tx } from '../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../http/calls/idempotency.ts';
import { consumeRateLimit } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { queuePendingReview } from '../mail/queue.ts';
import type { Shop } from '../shop.ts';
import { requireAccount, requireConfirmedAddress } from '../users/account-lock.ts';

/**
 * Returns the review's id. Throws 404 for an unknown product; 409 if the viewer has already reviewed the product (`data.review`) or
 * has not confirmed their address; 429 above the daily limits. In a sandbox, only reviews of products need a confirmed address, and
 * there is no limit per network address.
 */
export async function addReview(
  shop: Shop,
  viewer: SessionUser,
  body: NewReview,
  networkAddress: string,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const id = uuidv7();
  const isLive = shop.config.services !== undefined;
  const { reviewsPerUser, reviewsPerAddress } = shop.rateLimits;
  const insertedId = await runIdempotently(shop.database, idempotencyKey, id, async (tx) => {
    // In the transaction, so that neither a rejected review nor an idempotent replay counts.
    await consumeRateLimit(tx, `review ${viewer.id}`, reviewsPerUser, {
      windowMs: dayMs,
      message: `You can write ${reviewsPerUser} reviews a day`,
    });
    if (isLive)
      await consumeRateLimit(tx, `review from ${networkAddress}`, reviewsPerAddress, {
        windowMs: dayMs,
        message: `Your network can send ${reviewsPerAddress} reviews a day`,
      });
    await requireAccount(tx, shop.database.engine, viewer.id);
    const product = body.product === undefined ? undefined : await getProductName(tx, body.product);
    // Otherwise, one person could sign up with many addresses, change a product's rating, and fill the home page.
    if ((product || isLive) && shop.sendsMail) requireConfirmedAddress(viewer);
    await shop.checkImage(tx, body.img);
    const state = needsApproval(shop, viewer) ? 'pending' : 'visible';
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('review')
      .values({
        id,
        name: viewer.name,
        user_id: viewer.id,
        rating: body.rating,
        text: body.reviews,
        image: body.img,
        created_at: Date.now(),
        product_id: product?.id ?? null,
        product_name: product?.name ?? null,
        state,
      })
      // One review per user and product. The database's triggers count its rating.
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (product && numInsertedOrUpdatedRows !== 1n) throw await alreadyReviewed(tx, product.id, viewer);
    // An admin's message covers one hour, and lists the reviews whose ids were made in that hour.
    if (state === 'pending') await queuePendingReview(shop, tx, readIdTime(id));
  });
  // A replay changes nothing. If it cleared the cache, a client could keep everyone's pages from being cached by repeating the
  // request.
  if (insertedId === id) shop.invalidateCache();
  return insertedId;
}

/** The admins' own reviews do not wait. */
const needsApproval = ({ config }: Shop, { role }: SessionUser): boolean =>
  config.reviewApproval && role !== 'admin';

async function getProductName(tx: Tx, id: string) {
  const product = await tx
    .selectFrom('product')
    .select(['id', 'name'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!product) throw notFound('product');
  return product;
}

async function alreadyReviewed(tx: Tx, productId: string, { id: userId }: SessionUser): Promise<ShopError> {
  const review = await tx
    .selectFrom('review')
    .select('id')
    .where('product_id', '=', productId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  const detail = 'You have already reviewed this tool. You can edit your review instead.';
  // On PostgreSQL, the review may have been deleted in the meantime.
  return new ShopError('already_reviewed', detail, review ? { data: { review: review.id } } : {});
}

/** Throws 404 unless the viewer wrote the review. */
export async function requireOwnReview(db: Db | Tx, viewer: SessionUser, id: string): Promise<void> {
  const own = db.selectFrom('review').select('id').where('id', '=', id).where('user_id', '=', viewer.id);
  if (!(await own.executeTakeFirst())) throw notFound('review');
}

/**
 * Edits the viewer's review. A hidden review stays hidden; if reviews need approval, a visible review becomes pending again.
 * Returns 1, or 0 if the edit has no fields. Throws 404 unless the viewer wrote the review; 429 above the daily limit.
 */
export async function editReview(
  shop: Shop,
  id: string,
  viewer: SessionUser,
  { rating, reviews, img }: ReviewEdit,
): Promise<number> {
  if (rating === undefined && reviews === undefined && img === undefined) return 0;
  const { id: userId } = viewer;
  const pending = sql<'pending' | 'hidden'>`case when state = 'visible' then 'pending' else state end`;
  const max = shop.rateLimits.reviewEditsPerUser;
  await shop.database.transaction(async (tx) => {
    await consumeRateLimit(tx, `edit review ${userId}`, max, {
      windowMs: dayMs,
      message: `You can edit reviews ${max} times a day`,
    });
    if (img !== undefined) await shop.checkImage(tx, img);
    const edited = await tx
      .updateTable('review')
      .set({
        ...(rating === undefined ? {} : { rating }),
        ...(reviews === undefined ? {} : { text: reviews }),
        ...(img === undefined ? {} : { image: img }),
        ...(needsApproval(shop, viewer) ? { state: pending } : {}),
        version: sql`version + 1`,
      })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .returning('state')
      .executeTakeFirst();
    if (!edited) throw notFound('review');
    if (edited.state === 'pending') await queuePendingReview(shop, tx, Date.now());
  });
  shop.invalidateCache();
  return 1;
}

/**
 * Deletes the viewer's review with its reports. Throws 404 unless the viewer wrote the review; 409 for a hidden review, because its
 * author could otherwise post the same text again.
 */
export async function deleteReview(shop: Shop, id: string, viewer: SessionUser): Promise<number> {
  await shop.database.transaction(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('review')
      .where('id', '=', id)
      .where('user_id', '=', viewer.id)
      .where('state', '<>', 'hidden')
      .executeTakeFirst();
    if (numDeletedRows === 1n) return;
    await requireOwnReview(tx, viewer, id);
    throw new ShopError('conflict', 'The shop has hidden this review. You can edit it, but not delete it.');
  });
  shop.invalidateCache();
  return 1;
}
