import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Review } from '../../../../../contract/catalogue/reviews.ts';
import { purchasePages } from '../../../../../contract/page-addresses.ts';
import { Button } from '../../../../components/button.tsx';
import { Link } from '../../../../components/link.tsx';
import { useShopDay } from '../../../../components/moment.tsx';
import { Rating } from '../../../../components/reviews/rating.tsx';
import { ReviewImage } from '../../../../components/reviews/review-image.tsx';
import { Cell } from '../../../../components/table.tsx';
import { Email } from '../../email.tsx';
import { rowButton } from '../../row-button.ts';

export type RowCall = 'approveReview' | 'showReview' | 'dismissReports';

type Props = {
  review: Review;
  onHide: (review: Review) => void;
  onAnswer: (review: Review) => void;
  onChange: (review: Review, call: RowCall) => void;
};

export function ReviewRow({ review, onHide, onAnswer, onChange }: Props) {
  const formatDay = useShopDay();
  const { _id, name, email, rating, reviews, img, createdAt, product, productName, reports } = review;
  const { hidden, pending, answer } = review;
  return (
    <tr id={_id} tabIndex={-1} className="*:align-top">
      <Cell>
        <div className="flex flex-col gap-3 sm:flex-row sm:gap-4">
          <div className="shrink-0">
            <ReviewImage img={img} author={name} />
          </div>
          <div className="min-w-0">
            <span className="mb-1 block">
              <Rating rating={rating} />
            </span>
            {productName && (
              <span className="block font-medium wrap-anywhere">
                {product ? (
                  <Link to={`${purchasePages}/${product}`} className="link py-0.5 max-sm:link-alone">
                    {productName}
                  </Link>
                ) : (
                  productName
                )}
              </span>
            )}
            <span className="block max-w-text wrap-anywhere whitespace-pre-line">{reviews}</span>
            {reports && (
              <span className="mt-2 block max-w-text wrap-anywhere text-ruby">
                {`${formatQuantity(reports.count, 'report')}: ${reports.reasons.map((reason) => `“${reason}”`).join(', ')}${reports.count > reports.reasons.length ? ', …' : ''}`}
              </span>
            )}
            {answer && (
              <span className="mt-2 block max-w-text border-l-2 border-brass pl-3 wrap-anywhere whitespace-pre-line">
                <span className="block text-sm text-soft">The shop’s answer</span>
                {answer.text}
              </span>
            )}
            {hidden && (
              <span className="mt-2 block max-w-text wrap-anywhere text-soft">{`Reason: ${hidden.reason}`}</span>
            )}
          </div>
        </div>
      </Cell>
      <Cell label="Author">
        <span className="block wrap-anywhere sm:min-w-28 xl:min-w-52">
          {name}
          {email && (
            <span className="block text-soft">
              <Email>{email}</Email>
            </span>
          )}
        </span>
      </Cell>
      <Cell label="Written">
        <time dateTime={createdAt} className="whitespace-nowrap">
          {formatDay(createdAt)}
        </time>
      </Cell>
      <Cell number>
        {hidden ? (
          <Button kind="plain" className={rowButton} onClick={() => onChange(review, 'showReview')}>
            Show again<span className="sr-only">{` the review by ${name}`}</span>
          </Button>
        ) : (
          <span className="inline-flex flex-wrap gap-2 sm:justify-end">
            {reports && (
              <Button kind="plain" className={rowButton} onClick={() => onChange(review, 'dismissReports')}>
                Dismiss<span className="sr-only">{` the reports of the review by ${name}`}</span>
              </Button>
            )}
            {pending && (
              <Button kind="plain" className={rowButton} onClick={() => onChange(review, 'approveReview')}>
                Approve<span className="sr-only">{` the review by ${name}`}</span>
              </Button>
            )}
            <Button kind="plain" className={rowButton} onClick={() => onAnswer(review)}>
              {answer ? 'Edit answer' : 'Answer'}
              <span className="sr-only">{`${answer ? ' to' : ''} the review by ${name}`}</span>
            </Button>
            <Button kind="danger" className={rowButton} onClick={() => onHide(review)}>
              Hide<span className="sr-only">{` the review by ${name}`}</span>
            </Button>
          </span>
        )}
      </Cell>
    </tr>
  );
}
