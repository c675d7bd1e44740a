import { type MouseEvent, useEffect, useRef, useState } from 'react';
import type { Review } from '../../../contract/reviews.ts';
import type { Page } from '../../client.ts';
import { excerpt } from '../../components/excerpt.ts';
import { Link } from '../../components/link.tsx';
import { ReviewCard, type ShownReview } from '../../components/review-card.tsx';
import { SectionHeading } from '../../components/section-heading.tsx';
import { useToast } from '../../components/toast.tsx';
import { session } from '../../session.ts';

const pageSize = 48;

/** What is shown of a review: its first 80 characters. */
export const shownReview = ({ _id, name, rating, reviews, img }: Review): ShownReview => ({
  _id,
  name,
  rating,
  reviews: excerpt(reviews, 80),
  img,
});

/** All reviews, the newest first: the first of them, and the others by a link that brings them here. */
export function Reviews({ first }: { first: Page<ShownReview[]> }) {
  const [{ rows, after }, setShown] = useState(first);
  const [busy, setBusy] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const toast = useToast();

  // The link may be gone with the last of them: reading goes on at the first that came.
  const before = useRef(rows.length);
  useEffect(() => {
    const arrived = list.current?.children[before.current];
    before.current = rows.length;
    if (arrived instanceof HTMLElement) arrived.focus();
  }, [rows]);

  async function showMore(event: MouseEvent) {
    event.preventDefault();
    if (busy || !after) return;
    setBusy(true);
    try {
      const next = await session().client.list('listReviews', { query: { limit: pageSize, after } });
      setShown({ rows: [...rows, ...next.rows.map(shownReview)], after: next.after });
    } catch (error) {
      if (error instanceof Error) toast(error.message, 'wrong');
    }
    setBusy(false);
  }

  return (
    <section id="reviews">
      <SectionHeading label="Plate III" title="From other benches" />
      {rows.length === 0 ? (
        <p className="text-soft">Nobody has written a review yet.</p>
      ) : (
        <ul ref={list} className="plate sm:grid-cols-2 lg:grid-cols-3">
          {rows.map((review) => (
            <ReviewCard key={review._id} review={review} />
          ))}
        </ul>
      )}
      {after && (
        <p className="mt-6">
          <Link
            to={`/?reviews=${after}#reviews`}
            onClick={showMore}
            aria-busy={busy}
            className="link link-alone"
          >
            {busy ? 'Fetching…' : 'Show more reviews'}
          </Link>
        </p>
      )}
    </section>
  );
}
