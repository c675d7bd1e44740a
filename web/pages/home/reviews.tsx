import { type MouseEvent, useEffect, useRef, useState } from 'react';
import type { Review } from '../../../contract/reviews.ts';
import type { Page } from '../../client/client.ts';
import { excerpt } from '../../components/catalogue/excerpt.ts';
import { Link } from '../../components/link.tsx';
import { ReviewCard, type ShownReview } from '../../components/catalogue/review-card.tsx';
import { SectionHeading } from '../../components/section-heading.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { session } from '../../client/session.ts';

const pageSize = 48;

/** A review as its card shows it: the text in full, or cut at 80 characters. */
export function shownReview({ _id, name, rating, reviews, img }: Review, full = false): ShownReview {
  const shown = { _id, name, rating, reviews, img };
  const short = excerpt(reviews, 80);
  if (short === reviews) return shown;
  return full ? { ...shown, length: 'full' } : { ...shown, reviews: short, length: 'cut' };
}

type Props = {
  first: Page<ShownReview[]> & {
    /** The id after which they start, unless they start with the newest. */
    start?: string | undefined;
  };
};

/** All reviews, newest first: the first page, and the others by a link that adds them here. */
export function Reviews({ first }: Props) {
  const [{ rows, after }, setShown] = useState(first);
  /** What is being fetched: more reviews, or the full text of the one with this id. */
  const [busy, setBusy] = useState<string>();
  const list = useRef<HTMLUListElement>(null);
  const toast = useToast();
  /** Full texts by id. The page's data has only the cut ones, to keep it small. */
  const texts = useRef(new Map<string, string>());

  // The clicked link may be gone: focus the first review that it added, or the one that it opened.
  const next = useRef<string>(undefined);
  useEffect(() => {
    const item = list.current?.children[rows.findIndex(({ _id }) => _id === next.current)];
    next.current = undefined;
    if (item instanceof HTMLElement) item.focus({ preventScroll: true });
  }, [rows]);

  async function fetchReviews(what: string, after: string | undefined): Promise<Page<Review[]> | undefined> {
    if (busy) return undefined;
    setBusy(what);
    try {
      const page = await session().client.list('listReviews', { query: { limit: pageSize, after } });
      for (const { _id, reviews } of page.rows) texts.current.set(_id, reviews);
      return page;
    } catch (error) {
      if (error instanceof Error) toast(error.message, 'wrong');
      return undefined;
    } finally {
      setBusy(undefined);
    }
  }

  async function open(event: MouseEvent, id: string) {
    // The browser opens the link in another tab or window.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (!texts.current.has(id) && !(await fetchReviews(id, first.start))) return;
    const reviews = texts.current.get(id);
    if (reviews === undefined) return toast('This review is no longer shown.', 'wrong');
    next.current = id;
    setShown((shown) => ({
      ...shown,
      rows: shown.rows.map((row) => (row._id === id ? { ...row, reviews, length: 'full' } : row)),
    }));
  }

  async function showMore(event: MouseEvent) {
    event.preventDefault();
    const more = after && (await fetchReviews('more', after));
    if (!more) return;
    next.current = more.rows[0]?._id;
    setShown({ rows: [...rows, ...more.rows.map((row) => shownReview(row))], after: more.after });
  }

  /** This page with the review in full; for a review that was added here, the page that starts with it. */
  function addressOf(id: string, index: number): string {
    const start = index < first.rows.length ? first.start : rows[index - 1]?._id;
    return `/?${start ? `reviews=${start}&` : ''}review=${id}#review`;
  }

  return (
    <section id="reviews">
      <SectionHeading label="Plate III" title="From other benches" />
      {rows.length === 0 ? (
        <p className="text-soft">Nobody has written a review yet.</p>
      ) : (
        <ul ref={list} className="plate sm:grid-cols-2 lg:grid-cols-3">
          {rows.map((review, index) => (
            <ReviewCard
              key={review._id}
              review={review}
              to={addressOf(review._id, index)}
              busy={busy === review._id}
              onOpen={(event) => open(event, review._id)}
            />
          ))}
        </ul>
      )}
      {after && (
        <p className="mt-6">
          <Link
            to={`/?reviews=${after}#reviews`}
            onClick={showMore}
            aria-busy={busy === 'more'}
            className="link link-alone"
          >
            {busy === 'more' ? 'Fetching…' : 'Show more reviews'}
          </Link>
        </p>
      )}
    </section>
  );
}
