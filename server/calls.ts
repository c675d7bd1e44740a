import { Hono } from 'hono';
import { contract } from '../contract/contract.ts';
import { apiBase } from '../contract/paths.ts';
import { mountAudit } from './audit/routes.ts';
import { ShopError, wrongMethod } from './errors.ts';
import { mountHealth } from './health/routes.ts';
import { sessionCookie } from './identity/names.ts';
import { loadOnce } from './loaded.ts';
import { mountOrders } from './orders/routes.ts';
import { mountPayments } from './payments/routes.ts';
import { problemResponse, toShopError } from './problem.ts';
import { mountProducts } from './products/routes.ts';
import { mountReviews } from './reviews/routes.ts';
import type { Calls, Env } from './route.ts';
import type { Shop } from './shop.ts';
import { mountUsers } from './users/routes.ts';

/** Every call of the contract under `/api`. */
export function mountCalls(shop: Shop): Calls {
  const app = new Hono<Env>();
  const calls: Calls = { http: app, asks: new Map() };
  const openApi = loadOnce(async () => {
    const { makeOpenApi } = await import('./openapi/openapi.ts');
    return JSON.stringify(makeOpenApi(sessionCookie(shop.config)));
  });
  mountProducts(calls, shop);
  mountReviews(calls, shop);
  mountUsers(calls, shop);
  mountOrders(calls, shop);
  mountPayments(calls, shop);
  mountAudit(calls, shop);
  mountHealth(calls, shop);
  app.get(`${apiBase}/openapi.json`, async () => {
    const headers = { 'content-type': 'application/json', 'cache-control': 'public, no-cache' };
    return new Response(await openApi(), { headers });
  });
  app.onError((error, c) => problemResponse(toShopError(error, shop.log, c.env.requestId), c.env.requestId));
  app.notFound((c) => {
    const allowed = methodsAt(c.req.path);
    const error = allowed.length
      ? wrongMethod(...allowed)
      : new ShopError('not_found', 'There is no such call.');
    return problemResponse(error, c.env.requestId);
  });
  return calls;
}

function methodsAt(path: string): string[] {
  const fits = (pattern: string) => new RegExp(`^${apiBase}${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path);
  return Object.values(contract)
    .filter((call) => fits(call.path))
    .map((call) => call.method);
}
