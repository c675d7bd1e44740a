import { contract } from '../../../../contract/contract.ts';
import { type Calls, route } from '../../../http/calls/route.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { getOrder } from '../../orders/orders.ts';
import { getVersion, reportVersion } from '../../orders/version.ts';
import type { Shop } from '../../shop.ts';
import { refundOrder } from './order-refunds.ts';

export function mountRefunds(calls: Calls, shop: Shop): void {
  route(
    calls,
    contract.refundOrder,
    ({ viewer, body, idempotencyKey, subject: order }) =>
      reportVersion(shop.database.db, order.purchase_id, async () => ({
        insertedId: await refundOrder(shop, order, viewer, body, idempotencyKey),
        version: await getVersion(shop.database.db, order.purchase_id),
      })),
    { requireSubject: (viewer: SessionUser, id: string) => getOrder(shop, viewer, id) },
  );
}
