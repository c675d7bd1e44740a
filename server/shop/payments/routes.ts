import { contract } from '../../../contract/contract.ts';
import { invalid } from '../../../contract/errors.ts';
import { apiBase } from '../../../contract/paths.ts';
import { toWire } from '../../config/currency.ts';
import { toSqlLimit } from '../../http/list-response.ts';
import { consumeRateLimit } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { type Calls, route } from '../../http/route.ts';
import { getOrder } from '../orders/orders.ts';
import type { Shop } from '../shop.ts';
import { endUnpaidOrder } from './end-order.ts';
import { getClientSecret } from './intents.ts';
import { confirmPayment } from './settle.ts';
import { receiveEvent } from './webhook.ts';

export function mountPayments(calls: Calls, shop: Shop): void {
  const requireOrder = (viewer: SessionUser, id: string) => getOrder(shop, viewer, id);

  route(calls, contract.createPaymentIntent, async ({ viewer, body }) => {
    await consumeRateLimit(shop.database, `intent ${viewer.id}`, shop.rateLimits.intentsPerUser);
    return { clientSecret: await getClientSecret(shop, viewer, body) };
  });

  route(calls, contract.listUnknownPayments, async ({ query }) => {
    const rows = await shop.database.db
      .selectFrom('unknown_payment')
      .selectAll()
      .where('intent', '>', query.after ?? '')
      // The provider's ids are unique but not chronological. There are never many.
      .orderBy('intent')
      .limit(toSqlLimit(query))
      .execute();
    return rows.map(({ intent, amount, currency, order_id, seen_at }) => ({
      _id: intent,
      price: toWire(amount, currency),
      currency,
      order: order_id,
      seenAt: new Date(seen_at).toISOString(),
    }));
  });

  route(
    calls,
    contract.markOrderPaid,
    async ({ viewer, params, body }) => {
      if (body.order !== undefined && body.order !== params.id)
        throw invalid('order', 'Order must match the id in the path');
      const order = await getOrder(shop, viewer, params.id);
      return { modifiedCount: await confirmPayment(shop, order, body.transactionId) };
    },
    requireOrder,
  );

  route(
    calls,
    contract.deleteOrder,
    async ({ viewer, params }) => {
      await endUnpaidOrder(shop, params.id, 'delete', viewer);
      return { deletedCount: 1 };
    },
    requireOrder,
  );

  // Without route(): the signature covers the raw body.
  const { method, path } = contract.receiveStripeEvent;
  calls.router.on(method, apiBase + path, async (c) => {
    await receiveEvent(shop, c.req.raw);
    return c.json({ received: true });
  });
}
