import { z } from 'zod';
import type { Call } from './call.ts';
import { dashboardPaths } from './dashboard-paths.ts';
import { id, ignored, image, insertedId, modifiedCount, page, text, time } from './fields.ts';
import { paths } from './paths.ts';

export const review = z.object({
  _id: z.string(),
  name: z.string(),
  email: z.string().optional().describe('Private: only the author and admins see it.'),
  rating: z.int(),
  reviews: z.string().describe('The comment.'),
  img: z.string(),
  createdAt: time,
  hidden: z
    .object({ reason: z.string() })
    .optional()
    .describe('Why an admin hid it; absent from visible reviews.'),
});
export type Review = z.output<typeof review>;

/** The Add Review form. The author's name and email address are taken from the session. */
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

export const reasonToHide = z.object({ reason: text('Reason').describe('Shown to the author.') });

export const reviewCalls = {
  listReviews: {
    ...paths.listReviews,
    summary: 'List visible reviews, newest first',
    access: 'everyone',
    query: page.extend({
      hidden: z
        .enum(['true', 'false'], 'Hidden must be true or false')
        .optional()
        .describe('`true` lists hidden reviews instead: all of them for an admin, otherwise your own.'),
    }),
    response: z.array(review),
    errors: [422],
  },
  addReview: {
    ...dashboardPaths.addReview,
    summary: 'Write a review',
    access: 'signed-in',
    body: newReview,
    idempotent: true,
    status: 201,
    response: insertedId,
    errors: [400, 401, 413, 415, 422, 429],
  },
  hideReview: {
    ...dashboardPaths.hideReview,
    summary: 'Hide a review, or change the reason',
    access: 'admin',
    params: z.object({ id }),
    body: reasonToHide,
    response: modifiedCount,
    errors: [400, 401, 403, 404, 413, 415, 422],
  },
  showReview: {
    ...dashboardPaths.showReview,
    summary: 'Show a hidden review again',
    access: 'admin',
    params: z.object({ id }),
    response: modifiedCount,
    errors: [401, 403, 404],
  },
} as const satisfies Record<string, Call>;
