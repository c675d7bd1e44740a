import type { Review } from '../../contract/reviews.ts';
import { pictureSources } from './picture.tsx';
import { Rating } from './rating.tsx';

export type ShownReview = Pick<Review, '_id' | 'name' | 'rating' | 'reviews' | 'img'>;

/** One customer's words. */
export function ReviewCard({ review }: { review: ShownReview }) {
  const { name, rating, reviews, img } = review;
  return (
    <li className="flex gap-4 bg-leaf p-5" tabIndex={-1}>
      <img
        {...pictureSources(img)}
        sizes="4rem"
        alt=""
        width={64}
        height={64}
        loading="lazy"
        decoding="async"
        className="lamplit size-16 shrink-0 border border-rule object-cover"
      />
      <div className="min-w-0">
        <p className="mb-1 font-serif text-lg leading-tight">{name}</p>
        <p className="mb-2">
          <Rating rating={rating} />
        </p>
        <p className="text-sm">{reviews}</p>
      </div>
    </li>
  );
}
