import { type Selectable, sql } from 'kysely';
import { maxCount } from '../../../contract/admin/health-format.ts';
import type { Query } from '../../../contract/call.ts';
import type { Review } from '../../../contract/catalogue/reviews.ts';
import type { contract } from '../../../contract/contract.ts';
import { hourMs } from '../../../contract/durations.ts';
import { invalid, notFound, ShopError } from '../../../contract/errors.ts';
import { firstIdAt } from '../../database/id-range.ts';
import { executePrepared } from '../../database/prepared-statements.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { requireListAdmin } from '../../http/calls/route.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { privateEmail } from '../../identity/accounts.ts';
import type { Shop } from '../shop.ts';

/** Named, because prepared statements do not allow `*`. */
const columns = [
  'review.id',
  'review.name',
  'review.rating',
  'review.text',
  'review.image',
  'review.created_at',
  'review.state',
  'review.hidden_reason',
  'review.version',
  'review.answer',
  'review.answered_at',
  'review.product_name',
] as const;

type Column = (typeof columns)[number] extends `review.${infer Name}` ? Name : never;

export type ReviewRow = Pick<Selectable<Schema['review']>, Column> & {
  /** Null once the product is deleted. */
  current_id: string | null;
  current_name: string | null;
  verified: boolean | number;
  /** The author's current address; null once the account is deleted. */
  email: string | null;
};

/** Deleting an account removes the user from its orders. That also removes “Verified order” from its reviews. */
const isVerified = sql<boolean | number>`(
  review.product_id is not null and review.user_id is not null and exists (
    select 1 from order_line where order_line.user_id = review.user_id and order_line.product_id = review.product_id
    and order_line.status in ('paid', 'sipping') and order_line.refunded < order_line.total and order_line.is_charged_back = 0))`;

/** Reviews with the current name of their product. */
export const selectReviews = (db: Db) =>
  db
    .selectFrom('review')
    .leftJoin('product', 'product.id', 'review.product_id')
    .leftJoin('user', 'user.id', 'review.user_id')
    .select([
      ...columns,
      'user.email',
      'product.id as current_id',
      'product.name as current_name',
      isVerified.as('verified'),
    ]);

/** Only admins and the author see `email`, and only admins `version`. */
export function toReview(row: ReviewRow, viewer: SessionUser | undefined): Review {
  const productName = row.current_name ?? row.product_name;
  return {
    _id: row.id,
    name: row.name,
    ...privateEmail({ email: row.email ?? '' }, viewer),
    rating: row.rating,
    reviews: row.text,
    img: row.image,
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.state === 'hidden' ? { hidden: { reason: row.hidden_reason } } : {}),
    ...(row.state === 'pending' ? { pending: true } : {}),
    ...(row.answered_at === null
      ? {}
      : { answer: { text: row.answer, at: new Date(row.answered_at).toISOString() } }),
    ...(viewer?.role === 'admin' ? { version: row.version } : {}),
    ...(row.current_id === null ? {} : { product: row.current_id }),
    ...(productName === null ? {} : { productName }),
    ...(row.verified ? { verified: true } : {}),
  };
}

/**
 * Lists reviews, newest first. Hidden reviews are listed separately: an admin sees all of them, other viewers see their own.
 * Pending reviews are listed for admins only. `own` lists the viewer's reviews in any state.
 */
export async function listReviews(
  db: Db,
  query: Query<typeof contract.listReviews>,
  viewer: SessionUser | undefined,
): Promise<Review[]> {
  if (query.reported) return listReportedReviews(db, query, viewer);
  if (query.pending) requireListAdmin(viewer);
  const hidden = query.hidden === 'true';
  const state = query.pending ? 'pending' : hidden ? 'hidden' : 'visible';
  if (query.own && !viewer) throw new ShopError('not_signed_in', 'Sign in to see your reviews.');
  if (hidden && !viewer) return [];
  const isOwn = query.own !== undefined || (hidden && viewer?.role !== 'admin');
  const rows = await selectReviews(db)
    // A literal, so that the database plans for this state: nearly all reviews are visible.
    .$if(state !== 'visible' || !query.own, (some) => some.where('review.state', '=', sql.lit(state)))
    .$if(isOwn, (own) => own.where('review.user_id', '=', viewer?.id ?? ''))
    .$if(query.after !== undefined, (next) => next.where('review.id', '<', query.after ?? ''))
    .orderBy('review.id', 'desc')
    .limit(toSqlLimit(query))
    .execute();
  return rows.map((row) => toReview(row, viewer));
}

/** How many reviews are reported, at most `maxCount`. */
export const reportedCount = sql<number>`
  (select count(*) from (select distinct review_id from review_report limit ${sql.lit(maxCount)}) as report)`;

/** The number of pending reviews, at most `maxCount`. */
export const pendingCount = sql<number>`
  (select count(*) from (select id from review where state = 'pending' limit ${sql.lit(maxCount)}) as pending)`;

const maxListed = 10;
/** How many characters of a review's text a message quotes. */
const maxText = 300;

/** The pending reviews of the hour that began at `hour`: the first ones with shortened texts, their count, and the count of all pending ones. */
export async function listNewReviews({ database: { db } }: Shop, hour: number) {
  const written = db
    .selectFrom('review')
    .where('id', '>=', firstIdAt(hour))
    .where('id', '<', firstIdAt(hour + hourMs))
    .where('state', '=', sql.lit('pending'));
  const rows = await written
    .select(['name', 'rating', sql<string>`substr(text, 1, ${sql.lit(maxText)})`.as('text'), 'product_name'])
    .orderBy('id')
    .limit(maxListed)
    .execute();
  const { count, pending } = await written
    .select([(eb) => eb.fn.countAll<number>().as('count'), pendingCount.as('pending')])
    .executeTakeFirstOrThrow();
  return { rows, count, pending };
}
export type NewReviews = Awaited<ReturnType<typeof listNewReviews>>;

export async function countReported(db: Db): Promise<{ count: number; pending: number }> {
  return db.selectNoFrom([reportedCount.as('count'), pendingCount.as('pending')]).executeTakeFirstOrThrow();
}

const maxReasons = 5;

async function listReportedReviews(
  db: Db,
  query: Query<typeof contract.listReviews>,
  viewer: SessionUser | undefined,
): Promise<Review[]> {
  requireListAdmin(viewer);
  const counts = await db
    .selectFrom('review_report')
    .select(({ fn }) => [
      'review_id',
      fn.countAll<number>().as('count'),
      fn.max<number>('created_at').as('newest_at'),
    ])
    .$if(query.after !== undefined, (next) => next.where('review_id', '<', query.after ?? ''))
    .groupBy('review_id')
    .orderBy('review_id', 'desc')
    .limit(toSqlLimit(query))
    .execute();
  if (counts.length === 0) return [];
  const ids = counts.map(({ review_id }) => review_id);
  const rows = await selectReviews(db).where('review.id', 'in', ids).execute();
  const reviews = new Map(rows.map((row) => [row.id, toReview(row, viewer)]));
  const place = sql<number>`row_number() over (partition by review_id order by created_at desc, user_id)`;
  const newest = await db
    .selectFrom(
      db
        .selectFrom('review_report')
        .select(['review_id', 'reason', place.as('place')])
        .where('review_id', 'in', ids)
        .as('report'),
    )
    .select(['review_id', 'reason'])
    .where('place', '<=', maxReasons)
    .orderBy('review_id')
    .orderBy('place')
    .execute();
  const reasons = Map.groupBy(newest, ({ review_id }) => review_id);
  return counts.flatMap(({ review_id, count, newest_at }) => {
    const review = reviews.get(review_id);
    const reports = {
      count,
      reasons: (reasons.get(review_id) ?? []).map(({ reason }) => reason),
      newestAt: new Date(newest_at).toISOString(),
    };
    return review ? [{ ...review, reports }] : [];
  });
}

/** Each key has an index. Among equal ratings, the newest review comes first. */
const sortKeys = { newest: undefined, best: sql<number>`rating`, worst: sql<number>`(0 - rating)` };

/** The visible reviews of a product. Throws 404 for an unknown product; 422 if the review `after` no longer exists. */
export async function listProductReviews(
  db: Db,
  productId: string,
  query: Query<typeof contract.listProductReviews>,
  viewer: SessionUser | undefined,
): Promise<Review[]> {
  const { after } = query;
  const key = sortKeys[query.sort];
  const last =
    key && after !== undefined
      ? await db.selectFrom('review').select(key.as('key')).where('id', '=', after).executeTakeFirst()
      : undefined;
  if (key && after !== undefined && !last)
    throw invalid('after', 'This review no longer exists: start again from the top of the list');
  const listed = selectReviews(db)
    .where('review.state', '=', sql.lit('visible'))
    .where('review.product_id', '=', productId)
    .$if(!key && after !== undefined, (next) => next.where('review.id', '<', after ?? ''))
    .$if(last !== undefined, (next) =>
      next.where(sql<boolean>`(${key}, review.id) < (${last?.key}, ${after})`),
    )
    .$if(key !== undefined, (sorted) => sorted.orderBy(key ?? sql``, 'desc'))
    .orderBy('review.id', 'desc')
    .limit(toSqlLimit(query));
  const { rows } = await executePrepared(db, listed.compile());
  if (rows.length === 0 && after === undefined) await requireProduct(db, productId);
  return rows.map((row) => toReview(row, viewer));
}

async function requireProduct(db: Db, id: string): Promise<void> {
  const product = db.selectFrom('product').select('id').where('id', '=', id);
  if (!(await product.executeTakeFirst())) throw notFound('product');
}

/** How many visible reviews give a product 1, 2, 3, 4 and 5 stars. */
export async function countRatings(db: Db, productId: string): Promise<number[]> {
  const counted = db
    .selectFrom('review')
    .select(['rating', (eb) => eb.fn.countAll<number>().as('count')])
    .where('state', '=', sql.lit('visible'))
    .where('product_id', '=', productId)
    .groupBy('rating');
  const { rows } = await executePrepared(db, counted.compile());
  const counts = new Map(rows.map(({ rating, count }) => [rating, count]));
  return [1, 2, 3, 4, 5].map((rating) => counts.get(rating) ?? 0);
}

const maxReviewable = 200;

/** The products, archived or not, that a customer has bought and not yet reviewed, by name. */
export async function listReviewableProducts(db: Db, { id: userId }: SessionUser) {
  const bought = db
    .selectFrom('order_line')
    .select('product_id')
    .distinct()
    .where('user_id', '=', userId)
    .where('status', 'in', ['paid', 'sipping']);
  const products = await db
    .selectFrom(bought.as('bought'))
    .select((eb) => [
      'product_id as _id',
      // As a join, PostgreSQL may read all products by key instead.
      eb.selectFrom('product').select('name').whereRef('product.id', '=', 'bought.product_id').as('name'),
    ])
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('review')
            .select('review.id')
            .whereRef('review.product_id', '=', 'bought.product_id')
            .where('review.user_id', '=', userId),
        ),
      ),
    )
    .limit(maxReviewable)
    .execute();
  return products
    .flatMap(({ _id, name }) => (name === null ? [] : [{ _id, name }]))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
}
