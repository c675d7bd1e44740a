import { contract } from '../../contract/contract.ts';
import { apiBase } from '../../contract/paths.ts';
import { rowsToFetch } from '../answer.ts';
import { toWire } from '../currency.ts';
import { type Calls, route } from '../route.ts';
import type { Shop } from '../shop.ts';
import { takeTry } from '../tries.ts';
import { getClientSecret } from './intent.ts';
import { selectUnknown } from './queries.ts';
import { receiveEvent } from './webhook.ts';

export function mountPayments(calls: Calls, shop: Shop): void {
  route(calls, contract.createPaymentIntent, async ({ viewer, body }) => {
    await takeTry(shop.database, `intent ${viewer.id}`, shop.limits.intentsForPerson);
    return { clientSecret: await getClientSecret(shop, viewer, body) };
  });

  route(calls, contract.listUnknownPayments, async ({ query }) => {
    const rows = await selectUnknown(shop.database.db, rowsToFetch(query), query.after);
    return rows.map(({ intent, amount, currency, order_id, seen_at }) => ({
      _id: intent,
      price: toWire(amount, currency),
      currency,
      order: order_id,
      seenAt: new Date(seen_at).toISOString(),
    }));
  });

  // Not by route(): its body is judged as bytes, by its signature.
  const { method, path } = contract.receiveStripeEvent;
  calls.http.on(method, apiBase + path, async (c) => {
    await receiveEvent(shop, c.req.raw);
    return c.json({ received: true });
  });
}
