import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { auditRatings } from '../../../tests/support/rating-auditor.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { startShop } from '../../../tests/support/shop.ts';
import { ApiError } from '../../../web/client/api/client.ts';

/** Ignores the error for deleting a review that an admin has hidden. */
function allowHidden(error: unknown): void {
  if (!(error instanceof ApiError) || error.problem.status !== 409) throw error;
}

const authors = 10;
const rounds = 3;

test.each(engines)(
  'on %s, ratings stay exact while many users write, edit and delete reviews and admins hide and show them',
  async (engine) => {
    await using shop = await startShop({ engine, rateLimits: { reviewsPerUser: 1000 } });
    const { db } = shop.database;
    const admins = [await shop.admin(), await shop.admin('Bob')];
    const products = [await shop.addProduct(), await shop.addProduct(), await shop.addProduct()];
    const people: TestUser[] = [];
    for (let index = 0; index < authors; index++) people.push(await shop.signUpConfirmed(`Person ${index}`));

    /** Reviews all products, edits the reviews and deletes some. `seed` varies this between authors. */
    async function write(person: TestUser, seed: number): Promise<void> {
      const { call } = shop.client(person);
      for (let round = 0; round < rounds; round++)
        for (const [index, { _id: product, img }] of products.entries()) {
          const rating = 1 + ((seed + round + index) % 5);
          const body = { product, rating, reviews: 'True.', img };
          // The review is sent twice, and one request is rejected.
          const written = await Promise.allSettled([1, 2].map(() => call('addReview', { body })));
          const added = written.flatMap((one) => (one.status === 'fulfilled' ? [one.value.insertedId] : []));
          for (const id of added) {
            const edits = [5, 1, rating].map((rating) =>
              call('editReview', { params: { id }, body: { rating } }),
            );
            await Promise.all(edits);
            if ((seed + round + index) % 3 > 0)
              await call('deleteReview', { params: { id } }).catch(allowHidden);
          }
        }
    }

    let isWriting = true;
    /** Hides visible reviews and shows hidden ones. */
    async function moderate(admin: TestUser): Promise<void> {
      const { call } = shop.client(admin);
      while (isWriting) {
        // SQLite responds without returning to the event loop.
        await setImmediate();
        const reviews = await db.selectFrom('review').select(['id', 'state', 'version']).execute();
        for (const { id, state, version } of reviews) {
          const params = { id };
          // The author may have edited or deleted it.
          if (state === 'visible')
            await call('hideReview', { params, body: { version, reason: 'Rude.' } }).catch(() => undefined);
          else await call('showReview', { params, query: { version } }).catch(() => undefined);
        }
      }
    }

    const moderators = admins.map(moderate);
    await Promise.all(people.map(write)).finally(() => {
      isWriting = false;
    });
    await Promise.all(moderators);

    const books = {
      products: await db.selectFrom('product').selectAll().execute(),
      reviews: await db.selectFrom('review').selectAll().execute(),
    };
    expect(auditRatings(books)).toEqual([]);
    expect(books.reviews.length).toBeGreaterThan(authors);
    for (const { id, rating_count } of books.products) {
      const { ratings = [] } = await shop.client().call('getProduct', { params: { id } });
      expect(ratings.reduce((sum, count) => sum + count, 0)).toBe(rating_count);
    }
    // The auditor finds counters that are wrong by one.
    await db
      .updateTable('product')
      .set((eb) => ({ rating_sum: eb('rating_sum', '+', 1) }))
      .execute();
    const wrong = { ...books, products: await db.selectFrom('product').selectAll().execute() };
    expect(auditRatings(wrong)).toHaveLength(products.length);
  },
  60_000,
);
