import type { Product } from '../../../contract/catalogue/products.ts';
import { stars } from './rating.tsx';

/** An average rating: five stars, filled to the fraction, and the number of reviews. */
export function AverageRating({ rating: { average, count } }: { rating: NonNullable<Product['rating']> }) {
  return (
    <p className="figures mb-2 flex items-center gap-2 text-sm text-soft">
      <AverageStars average={average} />
      <span className="sr-only">{`Rated ${average.toFixed(1)} of 5 in ${count} ${count === 1 ? 'review' : 'reviews'}`}</span>
      <span aria-hidden="true">{`(${count})`}</span>
    </p>
  );
}

/** Five stars, filled to the fraction. Screen readers skip them: the text beside them has the average. */
export function AverageStars({ average }: { average: number }) {
  return (
    <svg viewBox="0 0 240 48" className="h-4 w-20 stroke-brass" strokeLinejoin="round" aria-hidden="true">
      <path d={stars(5)} fill="none" strokeWidth="3" />
      {/* An inner `svg` cuts off what exceeds it. */}
      <svg width={48 * average} height="48" aria-hidden="true">
        <path d={stars(5)} className="fill-brass" />
      </svg>
    </svg>
  );
}
