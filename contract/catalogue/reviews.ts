import { z } from 'zod';
import type { Call } from '../call.ts';
import {
  deletedCount,
  id,
  ignored,
  image,
  insertedId,
  modifiedCount,
  optionalText,
  page,
  seenVersion,
  seenVersionInQuery,
  text,
  time,
  versionedCount,
} from '../fields.ts';
import { paths } from '../paths.ts';

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
    .describe('Why an admin hid it; absent unless it is hidden.'),
  pending: z
    .literal(true)
    .optional()
    .describe('It is waiting for approval: only the author and admins see it.'),
  answer: z.object({ text: z.string(), at: time }).optional().describe("The shop's public answer."),
  version: z
    .int()
    .optional()
    .describe(
      'Increases when the review is edited, answered, hidden or shown; only admins see it. Send it back with a decision or an answer.',
    ),
  product: z
    .string()
    .optional()
    .describe(
      'The id of the reviewed product. Absent for a review of the shop, and once the product is deleted.',
    ),
  productName: z.string().optional(),
  verified: z.literal(true).optional().describe('The author has a paid order for the product.'),
  reports: z
    .object({
      count: z.int(),
      reasons: z.array(z.string()).describe('The newest five.'),
      newestAt: time.describe('Send it back to dismiss the reports.'),
    })
    .optional()
    .describe("Readers' reports; only in an admin's list of reported reviews."),
});
export type Review = z.output<typeof review>;

/** The Add Review form. The author's name and email address are taken from the session. */
export const newReview = z.object({
  product: id
    .optional()
    .describe('The id of the reviewed product; absent for a review of the shop in general.'),
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

/** The fields of an edit. Absent fields keep their values. */
export const reviewEdit = newReview.pick({ rating: true, reviews: true, img: true }).partial();
export type ReviewEdit = z.output<typeof reviewEdit>;

export const reasonToReport = z.object({ reason: text('Reason').describe('Only admins see it.') });

/** The newest come first among reviews with equal ratings. */
export const reviewSorts = ['newest', 'best', 'worst'] as const;
export type ReviewSort = (typeof reviewSorts)[number];

export const reasonToHide = z.object({
  version: seenVersion,
  reason: text('Reason').describe('Shown to the author.'),
});

export const reviewApproval = z.object({ version: seenVersion });

export const reviewAnswer = z.object({
  version: seenVersion,
  answer: optionalText('Answer', 2000).describe(
    'Visible to everyone who sees the review. An empty one removes the answer.',
  ),
});

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
      own: z
        .enum(['true'], 'Own must be true')
        .optional()
        .describe('`true` lists your own reviews instead: visible, pending and hidden ones.'),
      pending: z
        .enum(['true'], 'Pending must be true')
        .optional()
        .describe('`true` lists the reviews waiting for approval instead; for admins only.'),
      reported: z
        .enum(['true'], 'Reported must be true')
        .optional()
        .describe('`true` lists the reviews that readers have reported instead; for admins only.'),
    }),
    response: z.array(review),
    errors: [401, 403],
  },
  listProductReviews: {
    ...paths.listProductReviews,
    summary: 'List the visible reviews of a product',
    access: 'everyone',
    params: z.object({ id }),
    query: page.extend({
      sort: z
        .enum(reviewSorts, `Sort must be one of ${reviewSorts.join(', ')}`)
        .default('newest')
        .describe('Reviews with equal ratings are sorted newest first.'),
    }),
    response: z.array(review),
  },
  listReviewableProducts: {
    ...paths.listReviewableProducts,
    summary: 'List the products that you have bought and not yet reviewed, 200 at most',
    access: 'signed-in',
    response: z.array(z.object({ _id: z.string(), name: z.string() })),
  },
  addReview: {
    ...paths.addReview,
    summary:
      'Write a review. If the shop sends mail, the author needs a confirmed email address; in a sandbox, only for reviews of products',
    access: 'signed-in',
    body: newReview,
    idempotent: true,
    status: 201,
    response: insertedId,
    errors: [404, 429],
    conflicts: ['already_reviewed', 'address_unconfirmed'],
  },
  editReview: {
    ...paths.editReview,
    summary: 'Edit your review; if reviews need approval, a visible one must be approved again',
    access: 'owner',
    params: z.object({ id }),
    body: reviewEdit,
    response: modifiedCount,
    errors: [429],
  },
  deleteReview: {
    ...paths.deleteReview,
    summary: 'Delete your review, unless it is hidden',
    access: 'owner',
    params: z.object({ id }),
    response: deletedCount,
    conflicts: ['conflict'],
  },
  hideReview: {
    ...paths.hideReview,
    summary: 'Hide a review, or change the reason',
    access: 'admin',
    params: z.object({ id }),
    body: reasonToHide,
    response: versionedCount,
    conflicts: ['edit_conflict'],
  },
  showReview: {
    ...paths.showReview,
    summary: 'Show a hidden review again; if reviews need approval, it must be approved first',
    access: 'admin',
    params: z.object({ id }),
    query: z.object({ version: seenVersionInQuery }),
    response: versionedCount.extend({
      pending: z.literal(true).optional().describe('It is now waiting for approval.'),
    }),
    conflicts: ['edit_conflict'],
  },
  approveReview: {
    ...paths.approveReview,
    summary: 'Approve a pending review, so that everyone sees it',
    access: 'admin',
    params: z.object({ id }),
    body: reviewApproval,
    response: modifiedCount,
    conflicts: ['edit_conflict'],
  },
  answerReview: {
    ...paths.answerReview,
    summary: 'Answer a review in public, or change or remove the answer',
    access: 'admin',
    params: z.object({ id }),
    body: reviewAnswer,
    response: versionedCount,
    conflicts: ['edit_conflict'],
  },
  reportReview: {
    ...paths.reportReview,
    summary: 'Report a visible review to the admins',
    access: 'signed-in',
    params: z.object({ id }),
    body: reasonToReport,
    response: modifiedCount.describe('`modifiedCount` is 0 if you have already reported it.'),
    errors: [429],
  },
  getReportedCount: {
    ...paths.getReportedCount,
    summary: 'Count the reviews that readers have reported, and those waiting for approval',
    access: 'admin',
    response: z.object({
      count: z.int().describe('Reported reviews, 1,000 at most.'),
      pending: z.int().describe('Reviews waiting for approval, 1,000 at most.'),
    }),
  },
  dismissReports: {
    ...paths.dismissReports,
    summary: 'Dismiss the reports of a review up to a given time',
    access: 'admin',
    params: z.object({ id }),
    query: z.object({
      until: z.iso
        .datetime('Until must be a time such as 2026-11-12T16:05:00.000Z')
        .describe('The `newestAt` of the reports that you have seen. Reports made later remain.'),
    }),
    response: deletedCount.describe('`deletedCount` is the number of reports.'),
  },
} as const satisfies Record<string, Call>;
