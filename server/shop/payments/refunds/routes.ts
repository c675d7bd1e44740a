import { contract } from '../../../../contract/contract.ts';
import { type Calls, route } from '../../../http/calls/route.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { getOrder } from '../../orders/orders.ts';
import type { Shop } from '../../shop.ts';
import { refundOrder } from './order-refunds.ts';

export function mountRefunds(calls: Calls, shop: Shop): void {
  route(
    calls,
    contract.refundOrder,
    async ({ viewer, body, idempotencyKey, subject: order }) => ({
      insertedId: await refundOrder(shop, order, viewer, body, idempotencyKey),
    }),
    { requireSubject: (viewer: SessionUser, id: string) => getOrder(shop, viewer, id) },
  );
}
