import type { Review } from '../../../../../contract/reviews.ts';
import { Button } from '../../../../components/button.tsx';
import { Rating } from '../../../../components/catalogue/rating.tsx';
import { formatDay } from '../../../../components/moment.tsx';
import { Cell } from '../../../../components/table.tsx';

type Props = { review: Review; onHide: (review: Review) => void; onShow: (review: Review) => void };

export function ReviewRow({ review, onHide, onShow }: Props) {
  const { _id, name, email, rating, reviews, createdAt, hidden } = review;
  return (
    <tr id={_id} tabIndex={-1} className="*:align-top">
      <Cell>
        <span className="mb-1 block">
          <Rating rating={rating} />
        </span>
        <span className="block max-w-text wrap-anywhere whitespace-pre-line">{reviews}</span>
        {hidden && (
          <span className="mt-2 block max-w-text wrap-anywhere text-soft">{`Reason: ${hidden.reason}`}</span>
        )}
      </Cell>
      <Cell label="Author">
        <span className="inline-block wrap-anywhere sm:min-w-28">
          {name}
          <span className="block text-soft">{email}</span>
        </span>
      </Cell>
      <Cell label="Written">
        <time dateTime={createdAt} className="whitespace-nowrap">
          {formatDay(createdAt)}
        </time>
      </Cell>
      <Cell number>
        {hidden ? (
          <Button kind="plain" onClick={() => onShow(review)}>
            Show again<span className="sr-only">{` the review by ${name}`}</span>
          </Button>
        ) : (
          <Button kind="danger" onClick={() => onHide(review)}>
            Hide<span className="sr-only">{` the review by ${name}`}</span>
          </Button>
        )}
      </Cell>
    </tr>
  );
}
