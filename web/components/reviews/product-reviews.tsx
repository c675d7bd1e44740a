import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Product } from '../../../contract/catalogue/products.ts';
import { addReviewPage, purchasePages } from '../../../contract/page-addresses.ts';
import type { Viewer } from '../../../contract/pages.ts';
import { getErrorMessage } from '../../client/api/error-message.ts';
import { isPlainClick } from '../../client/plain-click.ts';
import { getSession } from '../../client/session.ts';
import { Notice } from '../feedback/notice.tsx';
import { useToast } from '../feedback/toast.tsx';
import { Link } from '../link.tsx';
import { type ReviewsPage, reviewSorts, reviewsPerPage } from './load-reviews.ts';
import { ProductReview } from './product-review.tsx';
import { RatingSummary } from './rating-summary.tsx';

type Props = {
  product: Pick<Product, '_id' | 'rating'> & { ratings?: number[] | undefined };
  /** From `loadProductReviews`. */
  initial: ReviewsPage;
  viewer: Viewer | undefined;
};

const sortLabels = { newest: 'Newest first', best: 'Best first', worst: 'Worst first' };

/** The reviews on a product's page: the rating, the first page of the list, and a link that adds the next page. */
export function ProductReviews({ product: { _id: id, rating, ratings = [] }, initial, viewer }: Props) {
  const { sort } = initial;
  const [search] = useSearchParams();
  const own = viewer && initial.rows.find(({ email }) => email === viewer.email);
  return (
    <section id="reviews" aria-labelledby="reviews-heading" className="mt-16 border-t-2 border-edge pt-6">
      <h2 id="reviews-heading" className="mb-6 text-2xl">
        Reviews
      </h2>
      {search.get('done') === 'reported' && (
        <Notice done>Thank you. The shop’s admins will look at the review that you reported.</Notice>
      )}
      {rating && <RatingSummary {...rating} ratings={ratings} />}
      <p className="mb-6 flex flex-wrap items-center gap-x-4">
        {!rating && <span className="text-soft">No reviews yet.</span>}
        {/* If the user's own review is on another page of the list, the second link redirects to editing it. */}
        <Link
          to={own ? `${addReviewPage}?edit=${own._id}` : `${addReviewPage}?product=${id}`}
          className="link link-alone"
        >
          {own ? 'Edit your review' : 'Write a review'}
        </Link>
      </p>
      {rating && rating.count > 1 && (
        <nav aria-label="Sort the reviews" className="mb-4 flex flex-wrap gap-x-6">
          {reviewSorts.map((one) => (
            <Link
              key={one}
              to={`${purchasePages}/${id}?reviews=${one}#reviews`}
              preventScrollReset
              aria-current={one === sort ? 'true' : undefined}
              className="link link-alone aria-[current]:font-medium aria-[current]:text-ink aria-[current]:no-underline"
            >
              {sortLabels[one]}
            </Link>
          ))}
        </nav>
      )}
      {/* A new key discards the added pages, which continue after the first one. */}
      <List key={`${sort} ${initial.after}`} productId={id} initial={initial} viewer={viewer} />
    </section>
  );
}

function List({
  productId,
  initial,
  viewer,
}: {
  productId: string;
  initial: ReviewsPage;
  viewer: Viewer | undefined;
}) {
  const { sort } = initial;
  const [added, setAdded] = useState<Omit<ReviewsPage, 'sort'>>({ rows: [], after: initial.after });
  const { after } = added;
  const rows = [...initial.rows, ...added.rows];
  const [isLoading, setLoading] = useState(false);
  const toast = useToast();
  // The clicked link may be gone: focus the first added review.
  const focusId = useRef<string>(undefined);
  useEffect(() => {
    if (!focusId.current || !added.rows.some(({ _id }) => _id === focusId.current)) return;
    document.getElementById(`review-${focusId.current}`)?.focus({ preventScroll: true });
    focusId.current = undefined;
  }, [added]);

  async function showMore(event: MouseEvent) {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    if (isLoading) return;
    setLoading(true);
    try {
      const query = { sort, limit: reviewsPerPage, after };
      const next = await getSession().client.list('listProductReviews', { params: { id: productId }, query });
      focusId.current = next.rows[0]?._id;
      setAdded({ rows: [...added.rows, ...next.rows], after: next.after });
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
    } finally {
      setLoading(false);
    }
  }

  if (rows.length === 0) return null;
  return (
    <>
      <ul className="plate">
        {rows.map((review) => (
          <ProductReview key={review._id} review={review} viewer={viewer} />
        ))}
      </ul>
      {after && (
        <p className="mt-6">
          <Link
            to={`${purchasePages}/${productId}?reviews=${sort}&after=${after}#reviews`}
            onClick={showMore}
            aria-busy={isLoading}
            className="link link-alone"
          >
            {isLoading ? 'Loading…' : 'Show more reviews'}
          </Link>
        </p>
      )}
    </>
  );
}
