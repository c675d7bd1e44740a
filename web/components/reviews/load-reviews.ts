import { redirect } from 'react-router';
import type { Review, ReviewSort } from '../../../contract/catalogue/reviews.ts';
import { ApiError, type Client, type ListPage } from '../../client/api/client.ts';

export type ReviewsPage = ListPage<Review[]> & { sort: ReviewSort };

export const reviewsPerPage = 12;

export const reviewSorts: readonly ReviewSort[] = ['newest', 'best', 'worst'];

/** The reviews of a product that its page shows first: `?reviews=best` sorts them, `?after=` continues a list. */
export async function loadProductReviews(client: Client, id: string, request: Request): Promise<ReviewsPage> {
  const { pathname, searchParams } = new URL(request.url);
  const sort = reviewSorts.find((one) => one === searchParams.get('reviews')) ?? 'newest';
  const after = searchParams.get('after') || undefined;
  const query = { sort, limit: reviewsPerPage, after };
  const page = await client.list('listProductReviews', { params: { id }, query }).catch((error) => {
    // The review that `after` names has been deleted: start from the first page.
    if (after && error instanceof ApiError && error.problem.status === 422)
      throw redirect(`${pathname}?reviews=${sort}`);
    throw error;
  });
  return { ...page, sort };
}
