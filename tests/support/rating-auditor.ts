import type { Selectable } from 'kysely';
import type { Schema } from '../../server/database/schema.ts';

type RatingBooks = {
  products: Pick<Selectable<Schema['product']>, 'id' | 'rating_count' | 'rating_sum'>[];
  reviews: Pick<Selectable<Schema['review']>, 'product_id' | 'user_id' | 'rating' | 'state'>[];
};

/**
 * A product's rating counts its visible reviews, and no user has two reviews of a product. Returns a sentence per discrepancy.
 */
export function auditRatings({ products, reviews }: RatingBooks): string[] {
  const visible = Map.groupBy(
    reviews.filter(({ state }) => state === 'visible'),
    ({ product_id }) => product_id,
  );
  const authors = Map.groupBy(
    reviews.filter(({ product_id, user_id }) => product_id !== null && user_id !== null),
    ({ product_id, user_id }) => `${user_id} has reviewed product ${product_id}`,
  );
  return [
    ...products.flatMap(({ id, rating_count, rating_sum }) => {
      const rows = visible.get(id) ?? [];
      const sum = rows.reduce((total, { rating }) => total + rating, 0);
      return rating_count === rows.length && rating_sum === sum
        ? []
        : [
            `product ${id} counts ${rating_count} reviews with ${rating_sum} stars; ${rows.length} with ${sum} are visible`,
          ];
    }),
    ...[...authors].flatMap(([text, { length }]) => (length === 1 ? [] : [`${text} ${length} times`])),
  ];
}
