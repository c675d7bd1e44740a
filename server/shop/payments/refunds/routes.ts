import { contract } from '../../../../contract/contract.ts';
import { notFound } from '../../../../contract/errors.ts';
import { type Calls, route } from '../../../http/calls/route.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { getOrder } from '../../orders/orders.ts';
import { getPurchase } from '../../orders/purchases.ts';
import { getVersion, reportVersion } from '../../orders/version.ts';
import type { Shop } from '../../shop.ts';
import { assignLines } from './assign-lines.ts';
import { refundOrder } from './order-refunds.ts';
import { refundPurchase } from './purchase-refunds.ts';
import { settleRefund } from './settlement.ts';

export function mountRefunds(calls: Calls, shop: Shop): void {
  const { db } = shop.database;

  route(
    calls,
    contract.refundOrder,
    ({ viewer, body, idempotencyKey, subject: order }) =>
      reportVersion(db, order.purchase_id, async () => ({
        insertedId: await refundOrder(shop, order, viewer, body, idempotencyKey),
        version: await getVersion(db, order.purchase_id),
      })),
    { requireSubject: (viewer: SessionUser, id: string) => getOrder(shop, viewer, id) },
  );

  route(
    calls,
    contract.refundPurchase,
    ({ viewer, body, idempotencyKey, subject: [{ purchase_id: purchaseId }] }) =>
      reportVersion(db, purchaseId, async () => ({
        insertedId: await refundPurchase(shop, purchaseId, body, viewer, idempotencyKey),
        version: await getVersion(db, purchaseId),
      })),
    { requireSubject: (viewer: SessionUser, id: string) => getPurchase(shop, viewer, id) },
  );

  route(calls, contract.settleRefund, async ({ viewer, params, body }) => {
    const purchaseId = await getPurchaseId(params.id);
    return reportVersion(db, purchaseId, async () => ({
      modifiedCount: Number(await settleRefund(shop, { id: params.id, purchaseId }, body, viewer)),
      version: await getVersion(db, purchaseId),
    }));
  });

  route(calls, contract.assignRefund, async ({ viewer, params, body }) => {
    const purchaseId = await getPurchaseId(params.id);
    return reportVersion(db, purchaseId, async () => {
      await assignLines(shop, { id: params.id, purchaseId }, body, viewer);
      return { modifiedCount: 1, version: await getVersion(db, purchaseId) };
    });
  });

  /** The purchase of a refund. Throws 404 if there is no such refund. */
  async function getPurchaseId(id: string): Promise<string> {
    const refund = await db
      .selectFrom('refund')
      .select('purchase_id')
      .where('id', '=', id)
      .executeTakeFirst();
    if (!refund) throw notFound('refund');
    return refund.purchase_id;
  }
}
