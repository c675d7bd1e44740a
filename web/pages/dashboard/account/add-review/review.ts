import { z } from 'zod';
import { newReview } from '../../../../../contract/catalogue/reviews.ts';
import { parseNumber } from '../../../../../contract/fields.ts';
import { addReviewPage } from '../../../../../contract/page-addresses.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm, textOf } from '../../../../forms/page-form.ts';

const values = newReview.pick({ rating: true, reviews: true, name: true, email: true }).extend({
  product: z.string(),
  edited: z.string(),
  img: z.string().min(1, 'Image is Required'),
});

/** Adds a review of a product or, if `product` is empty, of the shop. `edited` is the id of a review to edit instead. */
export const reviewForm = defineForm({
  name: 'review',
  fields: ['product', 'rating', 'reviews', 'img', 'name', 'email', 'edited'],
  access: 'user',
  parse: { rating: parseNumber },
  validate: validateWith(values),
  async send({ client, key, upload }, { edited, product, ...review }: z.output<typeof values>) {
    const [img = ''] = await upload([review.img]);
    if (edited) {
      const { rating, reviews } = review;
      await client.call('editReview', { params: { id: edited }, body: { rating, reviews, img } });
    } else {
      const body = { ...review, img, ...(product ? { product } : {}) };
      await client.call('addReview', { body, idempotencyKey: getIdempotencyKey(key, body) });
    }
    return { isNew: edited === '' };
  },
  donePage: ({ isNew }) => `${addReviewPage}?done=${isNew ? 'review' : 'edited'}`,
});

/** Deletes one of the user's reviews. */
export const deleteReviewForm = defineForm({
  name: 'delete-review',
  fields: ['review'],
  access: 'user',
  validate: (input) => ({ values: textOf(input, 'review') }),
  send: ({ client }, id: string) => client.call('deleteReview', { params: { id } }),
  donePage: () => `${addReviewPage}?done=deleted`,
});
