import { contract } from '../../contract/contract.ts';
import { rowsToFetch } from '../answer.ts';
import { type Calls, route } from '../route.ts';
import type { Shop } from '../shop.ts';
import { addReview, listReviews, toReview } from './reviews.ts';

export function mountReviews(calls: Calls, shop: Shop): void {
  const { database } = shop;

  route(calls, contract.listReviews, async ({ query, viewer }) => {
    const rows = await listReviews(database, rowsToFetch(query), query.after);
    return rows.map((row) => toReview(row, viewer));
  });

  route(calls, contract.addReview, async ({ viewer, body, once }) => {
    const insertedId = await addReview(shop, { viewer, body, once });
    shop.changed();
    return { insertedId };
  });
}
