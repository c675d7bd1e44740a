import type { Hono } from 'hono';
import { contract } from '../../contract/contract.ts';
import { apiBase } from '../../contract/paths.ts';
import { type Env, route } from '../route.ts';
import type { Shop } from '../shop.ts';
import { takeTry } from '../tries.ts';
import { getClientSecret } from './intent.ts';
import { receiveEvent } from './webhook.ts';

export function mountPayments(app: Hono<Env>, shop: Shop): void {
  route(app, contract.createPaymentIntent, async ({ viewer, body }) => {
    await takeTry(shop.database, `intent ${viewer.id}`, shop.limits.intentsForPerson);
    return { clientSecret: await getClientSecret(shop, viewer, body) };
  });

  // Not by route(): its body is judged as bytes, by its signature.
  const { method, path } = contract.receiveStripeEvent;
  app.on(method, apiBase + path, async (c) => {
    await receiveEvent(shop, c.req.raw);
    return c.json({ received: true });
  });
}
