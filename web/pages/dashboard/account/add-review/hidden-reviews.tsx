import type { Review } from '../../../../../contract/reviews.ts';
import { Rating } from '../../../../components/catalogue/rating.tsx';
import { formatDay } from '../../../../components/moment.tsx';

/** The viewer's own reviews that admins have hidden, and why. */
export function HiddenReviews({ reviews }: { reviews: Review[] }) {
  return (
    <section aria-labelledby="hidden-reviews" className="mt-12">
      <h2 id="hidden-reviews" className="mb-2 text-xl">
        Your hidden reviews
      </h2>
      <p className="mb-4 max-w-text text-soft">Only you and the shop’s admins see these.</p>
      <ul className="plate">
        {reviews.map(({ _id, rating, reviews: text, createdAt, hidden }) => (
          <li key={_id} className="bg-leaf p-5">
            <p className="mb-2 flex flex-wrap items-center gap-x-4 text-sm text-soft">
              <Rating rating={rating} />
              <time dateTime={createdAt}>{formatDay(createdAt)}</time>
            </p>
            <p className="mb-2 max-w-text wrap-anywhere whitespace-pre-line">{text}</p>
            <p className="max-w-text wrap-anywhere">
              <span className="font-medium">Hidden because:</span> {hidden?.reason}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
