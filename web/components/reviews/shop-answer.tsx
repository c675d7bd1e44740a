import type { Review } from '../../../contract/catalogue/reviews.ts';
import { formatDay } from '../moment.tsx';

/** The shop's public answer to a review. */
export function ShopAnswer({ answer: { text, at } }: { answer: NonNullable<Review['answer']> }) {
  return (
    <div className="mt-3 max-w-text border-l-2 border-brass pl-4">
      <p className="text-sm text-soft">
        The shop’s answer, <time dateTime={at}>{formatDay(at)}</time>
      </p>
      <p className="wrap-anywhere whitespace-pre-line">{text}</p>
    </div>
  );
}
