import { formatCount, formatQuantity } from '../../../contract/admin/health-format.ts';
import { AverageStars } from './average-rating.tsx';

type Props = { average: number; count: number; ratings: readonly number[] };

/** With fewer reviews, bars would look like statistics that do not exist. */
const minCountForBars = 3;

/** The average rating and, from three reviews on, a bar for each number of stars. `ratings` counts the reviews with 1, 2, 3, 4 and 5 stars. */
export function RatingSummary({ average, count, ratings }: Props) {
  return (
    <div className="mb-8 gap-x-12 sm:flex sm:items-start">
      <p className="mb-4 shrink-0">
        <span className="figures mb-1 block font-serif text-4xl whitespace-nowrap">{average.toFixed(1)}</span>
        <AverageStars average={average} />
        <span className="sr-only">out of 5 stars</span>
        <span className="block text-sm text-soft">{formatQuantity(count, 'review')}</span>
      </p>
      {count >= minCountForBars && (
        <ul className="w-full max-w-[28rem] text-sm">
          {[5, 4, 3, 2, 1].map((stars) => {
            const found = ratings[stars - 1] ?? 0;
            return (
              <li key={stars} className="flex min-h-7 items-center gap-3">
                <span className="sr-only">{`${formatQuantity(stars, 'star')}: ${formatQuantity(found, 'review')}`}</span>
                <span aria-hidden="true" className="figures w-14 shrink-0 text-soft">
                  {formatQuantity(stars, 'star')}
                </span>
                <svg
                  viewBox="0 0 100 8"
                  preserveAspectRatio="none"
                  className="h-2 w-full border border-rule bg-leaf"
                  aria-hidden="true"
                >
                  <rect width={(100 * found) / count} height="8" className="fill-brass" />
                </svg>
                <span aria-hidden="true" className="figures w-10 shrink-0 text-right">
                  {formatCount(found)}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
