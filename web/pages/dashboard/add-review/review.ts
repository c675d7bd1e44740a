import type { z } from 'zod';
import { readNumber } from '../../../../contract/fields.ts';
import type { Viewer } from '../../../../contract/pages.ts';
import { newReview } from '../../../../contract/reviews.ts';
import { keyOf } from '../../../client/idempotency.ts';
import { judgeBy } from '../../../forms/schema.ts';
import type { ShopForm } from '../../../forms/shop-form.ts';
import { addressOf, picture } from '../picture.ts';

const schema = newReview.pick({ rating: true, reviews: true }).extend({ img: picture });

/** A review of the shop by the signed-in user. */
export const reviewForm = (viewer: Viewer, formKey: string): ShopForm<z.infer<typeof schema>> => ({
  name: 'review',
  fields: ['rating', 'reviews', 'img'],
  read: { rating: readNumber },
  judge: judgeBy(schema),
  send({ client }, { rating, reviews, img }) {
    const { name, email } = viewer;
    const body = { name, email, rating, reviews, img: addressOf(img) };
    return client.call('addReview', { body, idempotencyKey: keyOf(formKey, body) });
  },
  next: '/dashboard/review',
  done: 'review',
});
