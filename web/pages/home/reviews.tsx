import { type MouseEvent, useEffect, useRef, useState } from 'react';
import type { Review } from '../../../contract/catalogue/reviews.ts';
import { homePage } from '../../../contract/page-addresses.ts';
import type { ListPage } from '../../client/api/client.ts';
import { isPlainClick } from '../../client/plain-click.ts';
import { getSession } from '../../client/session.ts';
import { truncate } from '../../components/catalogue/excerpt.ts';
import { useToast } from '../../components/feedback/toast.tsx';
import { Link } from '../../components/link.tsx';
import { ReviewCard, type ReviewSummary } from '../../components/reviews/review-card.tsx';
import { SectionHeading } from '../../components/section-heading.tsx';

const pageSize = 48;

/** A review for its card: with the full text, or truncated to 80 characters. The shop's answers are only on the products' pages. */
export function summarizeReview(review: Review, full = false): ReviewSummary {
  const { _id, name, rating, reviews, img } = review;
  const summary = { _id, name, rating, reviews, img };
  const short = truncate(reviews, 80);
  if (short === reviews) return summary;
  return full ? { ...summary, textLength: 'full' } : { ...summary, reviews: short, textLength: 'cut' };
}

type Props = {
  first: ListPage<ReviewSummary[]> & {
    /** The id after which this page starts; undefined for the newest reviews. */
    start?: string | undefined;
  };
};

/** All reviews, newest first: one page, and a link that adds the next one. */
export function Reviews({ first }: Props) {
  const [{ rows, after }, setShown] = useState(first);
  /** `more`, or the id of the review whose full text is being loaded. */
  const [loading, setLoading] = useState<string>();
  const list = useRef<HTMLUListElement>(null);
  const toast = useToast();
  /** Full texts by id. Loader data contains only the truncated ones, to keep the page small. */
  const fullTexts = useRef(new Map<string, string>());

  // The clicked link may be gone: focus the first added review, or the opened one.
  const focusId = useRef<string>(undefined);
  useEffect(() => {
    const item = list.current?.children[rows.findIndex(({ _id }) => _id === focusId.current)];
    focusId.current = undefined;
    if (!(item instanceof HTMLElement)) return;
    item.focus({ preventScroll: true });
    // On phones, the list is a row that scrolls.
    list.current?.scrollTo({ left: item.offsetLeft - list.current.offsetLeft });
  }, [rows]);

  async function fetchReviews(
    loadingId: string,
    after: string | undefined,
  ): Promise<ListPage<Review[]> | undefined> {
    if (loading) return undefined;
    setLoading(loadingId);
    try {
      const page = await getSession().client.list('listReviews', { query: { limit: pageSize, after } });
      for (const row of page.rows) fullTexts.current.set(row._id, row.reviews);
      return page;
    } catch (error) {
      if (error instanceof Error) toast(error.message, 'wrong');
      return undefined;
    } finally {
      setLoading(undefined);
    }
  }

  async function open(event: MouseEvent, id: string) {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    if (!fullTexts.current.has(id) && !(await fetchReviews(id, first.start))) return;
    const reviews = fullTexts.current.get(id);
    if (reviews === undefined) return toast('This review is no longer shown.', 'wrong');
    focusId.current = id;
    setShown((shown) => ({
      ...shown,
      rows: shown.rows.map((row) => (row._id === id ? { ...row, reviews, textLength: 'full' } : row)),
    }));
  }

  async function showMore(event: MouseEvent) {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    const nextPage = after && (await fetchReviews('more', after));
    if (!nextPage) return;
    focusId.current = nextPage.rows[0]?._id;
    setShown({ rows: [...rows, ...nextPage.rows.map((row) => summarizeReview(row))], after: nextPage.after });
  }

  /** The URL of the page with the review in full. If the review was added by a link, that page starts with it. */
  function createReviewUrl(id: string, index: number): string {
    const start = index < first.rows.length ? first.start : rows[index - 1]?._id;
    return `${homePage}?${start ? `reviews=${start}&` : ''}review=${id}#review`;
  }

  return (
    <section id="reviews">
      <SectionHeading label="Plate III" title="From other benches" />
      {rows.length === 0 ? (
        <p className="text-soft">No reviews yet.</p>
      ) : (
        <ul ref={list} className="cards max-sm:snap-row @container sm:grid-cols-2 lg:grid-cols-3">
          {rows.map((review, index) => (
            <ReviewCard
              key={review._id}
              review={review}
              to={createReviewUrl(review._id, index)}
              busy={loading === review._id}
              onOpen={(event) => open(event, review._id)}
            />
          ))}
        </ul>
      )}
      {after && (
        <p className="mt-6">
          <Link
            to={`${homePage}?reviews=${after}#reviews`}
            onClick={showMore}
            aria-busy={loading === 'more'}
            className="link link-alone"
          >
            {loading === 'more' ? 'Loading…' : 'Show more reviews'}
          </Link>
        </p>
      )}
    </section>
  );
}
