import { contract } from '../../../contract/contract.ts';
import { toSqlLimit } from '../../http/list-response.ts';
import { type Calls, route } from '../../http/route.ts';
import type { Shop } from '../shop.ts';
import { addReview, hideReview, listHiddenReviews, listReviews, showReview, toReview } from './reviews.ts';

export function mountReviews(calls: Calls, shop: Shop): void {
  const { database } = shop;

  route(calls, contract.listReviews, async ({ query, viewer }) => {
    const page = { limit: toSqlLimit(query), after: query.after };
    const rows = await (query.hidden === 'true'
      ? listHiddenReviews(database, viewer, page)
      : listReviews(database, page));
    return rows.map((row) => toReview(row, viewer));
  });

  route(calls, contract.addReview, async ({ viewer, body, idempotencyKey }) => {
    const insertedId = await addReview(shop, viewer, body, idempotencyKey);
    shop.invalidateCache();
    return { insertedId };
  });

  route(calls, contract.hideReview, async ({ viewer, params, body }) => {
    const modifiedCount = await hideReview(database, params.id, viewer, body.reason);
    shop.invalidateCache();
    return { modifiedCount };
  });

  route(calls, contract.showReview, async ({ viewer, params }) => {
    const modifiedCount = await showReview(database, params.id, viewer);
    shop.invalidateCache();
    return { modifiedCount };
  });
}
