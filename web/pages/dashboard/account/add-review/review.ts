import { z } from 'zod';
import { newReview } from '../../../../../contract/catalogue/reviews.ts';
import { parseNumber } from '../../../../../contract/fields.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { getImageUrl, imageFile } from '../../../../client/image-upload.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

export const addReviewPath = '/dashboard/review';

const schema = newReview
  .pick({ rating: true, reviews: true })
  .extend({ product: z.string().optional(), img: imageFile });

/** Adds a review of a product or, if `product` is empty, of the shop. `edited` is the id of a review to edit instead. */
export const createReviewForm = (
  viewer: Viewer,
  formKey: string,
  edited?: string,
): ShopForm<z.infer<typeof schema>> => ({
  name: 'review',
  fields: ['product', 'rating', 'reviews', 'img'],
  parse: { rating: parseNumber },
  validate: validateWith(schema),
  send({ client }, { product, rating, reviews, img }) {
    const { name, email } = viewer;
    const review = { rating, reviews, img: getImageUrl(img) };
    if (edited) return client.call('editReview', { params: { id: edited }, body: review });
    const body = { name, email, ...review, ...(product ? { product } : {}) };
    return client.call('addReview', { body, idempotencyKey: getIdempotencyKey(formKey, body) });
  },
  redirectTo: addReviewPath,
  doneCode: edited ? 'edited' : 'review',
});

/** Deletes one of the user's reviews. */
export const deleteReviewForm: ShopForm<{ id: string }> = {
  name: 'delete-review',
  fields: ['review'],
  // The call validates the id.
  validate: (input) => ({ values: { id: String(new Map(Object.entries(input ?? {})).get('review') ?? '') } }),
  send: ({ client }, params) => client.call('deleteReview', { params }),
  redirectTo: addReviewPath,
  doneCode: 'deleted',
};
