import { contract } from '../../../contract/contract.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { SessionUser } from '../../http/request-context.ts';
import type { Shop } from '../shop.ts';
import { countReported, listProductReviews, listReviewableProducts, listReviews } from './list.ts';
import {
  answerReview,
  approveReview,
  dismissReports,
  hideReview,
  reportReview,
  showReview,
} from './moderation.ts';
import { addReview, deleteReview, editReview, requireOwnReview } from './reviews.ts';

export function mountReviews(calls: Calls, shop: Shop): void {
  const { db } = shop.database;
  const requireSubject = (viewer: SessionUser, id: string) => requireOwnReview(db, viewer, id);

  route(calls, contract.listReviews, ({ query, viewer }) => listReviews(db, query, viewer));

  route(calls, contract.listProductReviews, ({ params, query, viewer }) =>
    listProductReviews(db, params.id, query, viewer),
  );

  route(calls, contract.listReviewableProducts, ({ viewer }) => listReviewableProducts(db, viewer));

  route(calls, contract.addReview, async ({ viewer, body, address, idempotencyKey }) => ({
    insertedId: await addReview(shop, viewer, body, address, idempotencyKey),
  }));

  route(
    calls,
    contract.editReview,
    async ({ viewer, params, body }) => ({ modifiedCount: await editReview(shop, params.id, viewer, body) }),
    { requireSubject },
  );

  route(
    calls,
    contract.deleteReview,
    async ({ viewer, params }) => ({ deletedCount: await deleteReview(shop, params.id, viewer) }),
    { requireSubject },
  );

  route(calls, contract.hideReview, ({ viewer, params, body }) => hideReview(shop, params.id, viewer, body));

  route(calls, contract.showReview, ({ viewer, params, query }) =>
    showReview(shop, params.id, viewer, query.version),
  );

  route(calls, contract.approveReview, async ({ viewer, params, body }) => ({
    modifiedCount: await approveReview(shop, params.id, viewer, body.version),
  }));

  route(calls, contract.answerReview, ({ viewer, params, body }) =>
    answerReview(shop, params.id, viewer, body),
  );

  route(calls, contract.reportReview, async ({ viewer, params, body }) => ({
    modifiedCount: await reportReview(shop, params.id, viewer, body.reason),
  }));

  route(calls, contract.getReportedCount, () => countReported(db));

  route(calls, contract.dismissReports, async ({ viewer, params, query }) => ({
    deletedCount: await dismissReports(shop, params.id, viewer, Date.parse(query.until)),
  }));
}
