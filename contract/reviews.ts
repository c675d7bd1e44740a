import { z } from 'zod';
import type { Call } from './call.ts';
import { ignored, image, insertedId, page, text, time } from './fields.ts';
import { paths } from './paths.ts';

export const review = z.object({
  _id: z.string(),
  name: z.string(),
  email: z.string().optional().describe('Private: only an admin and the author see it.'),
  rating: z.int(),
  reviews: z.string().describe('The comment.'),
  img: z.string(),
  createdAt: time,
});
export type Review = z.output<typeof review>;

/** Name and e-mail come from the session, whatever is sent. */
export const newReview = z.object({
  rating: z
    .int({
      error: ({ input }) =>
        input === undefined || input === null || input === ''
          ? 'Rating is Required'
          : 'Rating must be a whole number',
    })
    .min(1, 'Rating must be at least 1')
    .max(5, 'Rating must be at most 5'),
  reviews: text('Comments', 2000).describe('The comment.'),
  img: image,
  name: ignored,
  email: ignored,
});
export type NewReview = z.output<typeof newReview>;

export const listReviews = {
  ...paths.listReviews,
  summary: 'All reviews, the newest first',
  who: 'everybody',
  query: page,
  answer: z.array(review),
  errors: [422],
} as const satisfies Call;

export const addReview = {
  ...paths.addReview,
  summary: 'Write a review',
  who: 'person',
  body: newReview,
  idempotent: true,
  status: 201,
  answer: insertedId,
  errors: [400, 401, 413, 415, 422],
} as const satisfies Call;
