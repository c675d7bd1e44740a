/** A star in a 48 × 48 box, drawn from its upper point. */
const star = 'l5.6 12.3 13.4 1.6-9.9 9.2 2.6 13.2-11.7-6.6-11.7 6.6 2.6-13.2-9.9-9.2 13.4-1.6z';

/** The path of `count` stars in a row. */
export const stars = (count: number): string =>
  Array.from({ length: count }, (_, index) => `M${24 + index * 48} 5${star}`).join('');

/** A rating as stars out of five. */
export function Rating({ rating }: { rating: number }) {
  return (
    <span>
      <svg viewBox="0 0 240 48" className="h-4 w-20 stroke-brass" strokeLinejoin="round" aria-hidden="true">
        <path d={stars(5)} fill="none" strokeWidth="3" />
        <path d={stars(rating)} className="fill-brass" />
      </svg>
      <span className="sr-only">{`Rated ${rating} of 5`}</span>
    </span>
  );
}
