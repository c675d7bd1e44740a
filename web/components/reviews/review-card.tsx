import type { MouseEvent } from 'react';
import type { Review } from '../../../contract/catalogue/reviews.ts';
import { getThumbnailUrl } from '../catalogue/product-image.tsx';
import { Link } from '../link.tsx';
import { Rating } from './rating.tsx';

export type ReviewSummary = Pick<Review, '_id' | 'name' | 'rating' | 'reviews' | 'img'> & {
  /** `cut`: `reviews` is only the beginning of the text. `full`: it is all of a text that is otherwise cut. */
  textLength?: 'cut' | 'full';
};

type Props = {
  review: ReviewSummary;
  /** The URL of this page with the review in full. */
  to: string;
  /** The full text is being fetched. */
  busy: boolean;
  onOpen: (event: MouseEvent) => void;
};

export function ReviewCard({ review, to, busy, onOpen }: Props) {
  const { name, rating, reviews, img, textLength } = review;
  const isFull = textLength === 'full';
  return (
    <li
      id={isFull ? 'review' : undefined}
      className="grid grid-cols-[4rem_1fr] content-start gap-x-4 bg-leaf p-5 @max-[15rem]:block"
      tabIndex={-1}
    >
      <img
        src={getThumbnailUrl(img)}
        alt=""
        width={64}
        height={64}
        loading="lazy"
        decoding="async"
        className="lamplit row-span-2 size-16 border border-rule object-cover"
      />
      <div className="min-w-0">
        <p className="mb-1 font-serif text-lg leading-tight">{name}</p>
        <p className="mb-2">
          <Rating rating={rating} />
        </p>
      </div>
      <div className={isFull ? 'col-span-2 mt-2 max-w-[65ch]' : 'col-start-2 min-w-0'}>
        <p className={`text-sm${isFull ? ' whitespace-pre-line' : ''}`}>{reviews}</p>
        {textLength === 'cut' && (
          <Link to={to} onClick={onOpen} aria-busy={busy || undefined} className="link link-alone text-sm">
            {busy ? 'Loading…' : 'Read full review'}
            <span className="sr-only">{` by ${name}`}</span>
          </Link>
        )}
      </div>
    </li>
  );
}
