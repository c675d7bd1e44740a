import { useState } from 'react';
import { useHydrated } from '../../../../client/hydration.ts';
import { stars } from '../../../../components/reviews/rating.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';

type Props = { initial: string; error: string | undefined };

const ratingWords = ['poor', 'fair', 'good', 'very good', 'excellent'];

/** One to five stars as radio buttons. The first has the id `rating`, for the error summary. */
export function RatingField({ initial, error }: Props) {
  const hydrated = useHydrated();
  const [value, setValue] = useState(Number(initial));
  return (
    <fieldset className="mb-6" aria-describedby={error ? 'rating-error' : undefined}>
      <legend className="mb-1.5 text-sm font-medium">Rating</legend>
      <div className="flex flex-wrap items-center gap-x-4">
        <div className="-ml-1 flex flex-wrap">
          {ratingWords.map((word, index) => {
            const rating = index + 1;
            return (
              <label
                key={word}
                className="relative cursor-pointer fill-leaf p-1 hover:fill-rule [&:has(:checked,~*_:checked)]:fill-brass"
              >
                <input
                  type="radio"
                  id={rating === 1 ? 'rating' : undefined}
                  name="rating"
                  value={rating}
                  defaultChecked={initial === `${rating}`}
                  onChange={() => setValue(rating)}
                  aria-invalid={error ? true : undefined}
                  className="absolute inset-0 size-full cursor-pointer appearance-none"
                />
                <svg
                  viewBox="0 0 48 48"
                  className="pointer-events-none relative size-9 stroke-brass"
                  strokeWidth="2"
                  strokeLinejoin="round"
                  aria-hidden="true"
                >
                  <path d={stars(1)} />
                </svg>
                <span className="sr-only">{`${rating} ${rating === 1 ? 'star' : 'stars'}, ${word}`}</span>
              </label>
            );
          })}
        </div>
        {/* Hidden without scripts, since it would not update. */}
        <span className={`text-sm text-soft ${hydrated ? '' : 'invisible'}`} aria-hidden="true">
          {value ? `${value} of 5: ${ratingWords[value - 1]}` : 'Not rated yet'}
        </span>
      </div>
      {error && <ErrorMessage id="rating-error">{error}</ErrorMessage>}
    </fieldset>
  );
}
