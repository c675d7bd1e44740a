import type { Review } from '../../../../../contract/catalogue/reviews.ts';
import { addReviewPage } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { deleteReviewForm } from './review.ts';

/** Asks whether to delete a review, with and without scripts. */
export function DeleteReview({ review, viewer }: { review: Review; viewer: Viewer }) {
  return (
    <Notice announced>
      <form method="post">
        <input type="hidden" name="form" value={deleteReviewForm.name} />
        <input type="hidden" name="viewer" value={viewer._id} />
        <input type="hidden" name="review" value={review._id} />
        <p className="mb-4">
          {`Delete your review of ${review.productName ?? 'the shop in general'}? This cannot be undone.`}
        </p>
        <p className="flex flex-wrap gap-3">
          <ButtonLink kind="plain" to={addReviewPage}>
            Keep it
          </ButtonLink>
          <Button type="submit" kind="danger">
            Delete the review
          </Button>
        </p>
      </form>
    </Notice>
  );
}
