type Props = {
  value: number | undefined;
  error: string | undefined;
  onChange: (rating: number) => void;
};

const words = ['poor', 'fair', 'good', 'very good', 'excellent'];
const star = 'M24 5l5.6 12.3 13.4 1.6-9.9 9.2 2.6 13.2L24 34.7l-11.7 6.6 2.6-13.2-9.9-9.2 13.4-1.6z';

/** One to five stars: radio buttons under their drawings. The first carries the id `rating`. */
export function RatingField({ value, error, onChange }: Props) {
  return (
    <fieldset className="mb-6" aria-describedby={error ? 'rating-error' : undefined}>
      <legend className="mb-1.5 text-sm font-medium">Rating</legend>
      <div className="flex flex-wrap items-center gap-x-4">
        <div className="-ml-1 flex">
          {words.map((word, index) => {
            const rating = index + 1;
            return (
              <label key={word} className="group relative cursor-pointer p-1">
                <input
                  type="radio"
                  id={rating === 1 ? 'rating' : undefined}
                  name="rating"
                  value={rating}
                  checked={value === rating}
                  onChange={() => onChange(rating)}
                  aria-invalid={error ? true : undefined}
                  className="absolute inset-0 size-full cursor-pointer appearance-none"
                />
                <svg
                  viewBox="0 0 48 48"
                  className={`pointer-events-none relative size-9 stroke-brass group-hover:fill-brass/30 ${value && rating <= value ? 'fill-brass' : 'fill-leaf'}`}
                  strokeWidth="2"
                  strokeLinejoin="round"
                  aria-hidden="true"
                >
                  <path d={star} />
                </svg>
                <span className="sr-only">{`${rating} ${rating === 1 ? 'star' : 'stars'}, ${word}`}</span>
              </label>
            );
          })}
        </div>
        <span className="text-sm text-soft" aria-hidden="true">
          {value ? `${value} of 5: ${words[value - 1]}` : 'Not rated yet'}
        </span>
      </div>
      {error && (
        <p id="rating-error" className="mt-1.5 flex gap-2 text-sm font-medium text-ruby">
          <span aria-hidden="true">◆</span>
          {error}
        </p>
      )}
    </fieldset>
  );
}
