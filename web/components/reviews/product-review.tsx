import type { Review } from '../../../contract/catalogue/reviews.ts';
import { addReviewPage } from '../../../contract/page-addresses.ts';
import type { Viewer } from '../../../contract/pages.ts';
import { Link } from '../link.tsx';
import { formatDay } from '../moment.tsx';
import { Rating } from './rating.tsx';
import { ReviewImage } from './review-image.tsx';
import { ReportForm } from './review-report-form.tsx';
import { ShopAnswer } from './shop-answer.tsx';

type Props = { review: Review; viewer: Viewer | undefined };

/** A review on the page of its product. Its author can edit it, other users can report it. */
export function ProductReview({ review, viewer }: Props) {
  const { _id, name, email, rating, reviews, img, createdAt, verified, answer } = review;
  return (
    <li id={`review-${_id}`} tabIndex={-1} className="bg-leaf p-5 sm:grid sm:grid-cols-[6rem_1fr] sm:gap-x-5">
      <div className="mb-3 sm:mb-0">
        <ReviewImage img={img} author={name} />
      </div>
      <div className="min-w-0">
        <p className="font-serif text-lg leading-tight wrap-anywhere">{name}</p>
        <p className="mt-1 mb-2 flex flex-wrap items-center gap-x-4 text-sm text-soft">
          <Rating rating={rating} />
          <time dateTime={createdAt}>{formatDay(createdAt)}</time>
          {verified && <span className="text-verdigris">Verified order</span>}
        </p>
        <p className="max-w-text wrap-anywhere whitespace-pre-line">{reviews}</p>
        {answer && <ShopAnswer answer={answer} />}
        {viewer && email === viewer.email ? (
          <p className="mt-3">
            <Link to={`${addReviewPage}?edit=${_id}`} className="link link-alone text-sm">
              Edit or delete your review
            </Link>
          </p>
        ) : (
          viewer && <ReportForm review={review} viewer={viewer} />
        )}
      </div>
    </li>
  );
}
