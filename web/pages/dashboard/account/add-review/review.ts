import type { z } from 'zod';
import { parseNumber } from '../../../../../contract/fields.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { newReview } from '../../../../../contract/reviews.ts';
import { getIdempotencyKey } from '../../../../client/idempotency.ts';
import { getImageUrl, imageFile } from '../../../../client/image-upload.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

const schema = newReview.pick({ rating: true, reviews: true }).extend({ img: imageFile });

/** A review of the shop by the signed-in user. */
export const createReviewForm = (viewer: Viewer, formKey: string): ShopForm<z.infer<typeof schema>> => ({
  name: 'review',
  fields: ['rating', 'reviews', 'img'],
  parse: { rating: parseNumber },
  validate: validateWith(schema),
  send({ client }, { rating, reviews, img }) {
    const { name, email } = viewer;
    const body = { name, email, rating, reviews, img: getImageUrl(img) };
    return client.call('addReview', { body, idempotencyKey: getIdempotencyKey(formKey, body) });
  },
  redirectTo: '/dashboard/review',
  doneCode: 'review',
});
