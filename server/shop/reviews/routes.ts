import { contract } from '../../../contract/contract.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { Shop } from '../shop.ts';
import { addReview, changeVisibility, listReviews, toReview } from './reviews.ts';

export function mountReviews(calls: Calls, shop: Shop): void {
  const { database } = shop;

  route(calls, contract.listReviews, async ({ query, viewer }) => {
    const page = { hidden: query.hidden === 'true', limit: toSqlLimit(query), after: query.after };
    const rows = await listReviews(database, viewer, page);
    return rows.map((row) => toReview(row, viewer));
  });

  route(calls, contract.addReview, async ({ viewer, body, idempotencyKey }) => {
    const insertedId = await addReview(shop, viewer, body, idempotencyKey);
    shop.invalidateCache();
    return { insertedId };
  });

  route(calls, contract.hideReview, async ({ viewer, params, body }) => {
    const modifiedCount = await changeVisibility(database, params.id, viewer, {
      state: 'hidden',
      hidden_reason: body.reason,
    });
    shop.invalidateCache();
    return { modifiedCount };
  });

  route(calls, contract.showReview, async ({ viewer, params }) => {
    const modifiedCount = await changeVisibility(database, params.id, viewer, {
      state: 'visible',
      hidden_reason: '',
    });
    shop.invalidateCache();
    return { modifiedCount };
  });
}
