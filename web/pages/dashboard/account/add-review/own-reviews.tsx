import type { Review } from '../../../../../contract/catalogue/reviews.ts';
import { addReviewPage, purchasePages } from '../../../../../contract/page-addresses.ts';
import { Link } from '../../../../components/link.tsx';
import { formatDay } from '../../../../components/moment.tsx';
import { Rating } from '../../../../components/reviews/rating.tsx';
import { ShopAnswer } from '../../../../components/reviews/shop-answer.tsx';

/** The viewer's own reviews. A review that admins have hidden shows the reason. */
export function OwnReviews({ reviews }: { reviews: Review[] }) {
  return (
    <section aria-labelledby="own-reviews" className="mt-12">
      <h2 id="own-reviews" className="mb-4 text-xl">
        Your reviews
      </h2>
      <ul className="plate">
        {reviews.map((review) => (
          <OwnReview key={review._id} review={review} />
        ))}
      </ul>
    </section>
  );
}

function OwnReview({
  review: { _id, rating, reviews, createdAt, hidden, pending, answer, product, productName },
}: {
  review: Review;
}) {
  const about = productName ?? 'The shop in general';
  const of = ` the review of ${about}`;
  return (
    <li className="bg-leaf p-5">
      <p className="mb-1 font-serif text-lg wrap-anywhere">
        {product ? (
          <Link to={`${purchasePages}/${product}`} className="link">
            {about}
          </Link>
        ) : (
          about
        )}
      </p>
      <p className="mb-2 flex flex-wrap items-center gap-x-4 text-sm text-soft">
        <Rating rating={rating} />
        <time dateTime={createdAt}>{formatDay(createdAt)}</time>
      </p>
      <p className="mb-2 max-w-text wrap-anywhere whitespace-pre-line">{reviews}</p>
      {answer && <ShopAnswer answer={answer} />}
      {pending && (
        <p className="mb-2 max-w-text text-soft">It appears in the shop once an admin has approved it.</p>
      )}
      {hidden && (
        <p className="mb-2 max-w-text wrap-anywhere">
          <span className="font-medium">Hidden because:</span> {hidden.reason} Only you and the shop’s admins
          see it.
        </p>
      )}
      <p className="flex gap-x-6">
        <Link to={`${addReviewPage}?edit=${_id}`} className="link link-alone">
          Edit<span className="sr-only">{of}</span>
        </Link>
        {!hidden && (
          <Link to={`${addReviewPage}?delete=${_id}`} className="link link-alone">
            Delete<span className="sr-only">{of}</span>
          </Link>
        )}
      </p>
    </li>
  );
}
