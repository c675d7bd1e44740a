import { contract } from '../../../contract/contract.ts';
import { invalid, notFound } from '../../../contract/errors.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { getOrder } from '../orders/orders.ts';
import { reportVersion } from '../orders/version.ts';
import type { Shop } from '../shop.ts';
import { countProviderCall } from './call-limit.ts';
import { deleteUnpaidOrder } from './end-order.ts';
import { getClientSecret } from './intents.ts';
import { settleLatePayment } from './late-payments.ts';
import { confirmPayment, findPaymentByIntent } from './settle.ts';
import { mountUnknownPayments } from './unknown-payments.ts';
import { mountWebhook } from './webhook.ts';

export function mountPayments(calls: Calls, shop: Shop): void {
  mountWebhook(calls, shop);
  mountUnknownPayments(calls, shop);
  const requireSubject = (viewer: SessionUser, id: string) => getOrder(shop, viewer, id);

  route(calls, contract.createPaymentIntent, async ({ viewer, body }) => {
    await countProviderCall(shop, viewer);
    return { clientSecret: await getClientSecret(shop, viewer, body) };
  });

  route(
    calls,
    contract.markOrderPaid,
    async ({ viewer, params, body, subject: order }) => {
      if (body.order !== undefined && body.order !== params.id)
        throw invalid('order', 'Order must match the id in the path');
      return reportVersion(shop.database.db, order.purchase_id, () =>
        confirmPayment(shop, viewer, order, body.transactionId),
      );
    },
    { requireSubject },
  );

  route(calls, contract.settleLatePayment, async ({ viewer, params, body }) => {
    const payment = await findPaymentByIntent(shop.database.db, params.id);
    if (!payment) throw notFound('payment');
    return reportVersion(shop.database.db, payment.purchase_id, () =>
      settleLatePayment(shop, payment, body, viewer),
    );
  });

  route(
    calls,
    contract.deleteOrder,
    async ({ viewer, params }) => {
      await deleteUnpaidOrder(shop, params.id, viewer);
      return { deletedCount: 1 };
    },
    { requireSubject },
  );
}
