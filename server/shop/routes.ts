import { Hono } from 'hono';
import type { Manifest } from '../../contract/pages.ts';
import { apiBase } from '../../contract/paths.ts';
import { mountAudit } from './audit/routes.ts';
import { mountHealth } from '../operations/health/routes.ts';
import { sessionCookie } from '../identity/names.ts';
import type { ResponseCache } from '../http/response-cache.ts';
import { loadOnce } from '../config/load-once.ts';
import { mountOrders } from './orders/routes.ts';
import { serveApiDocs } from '../pages/api-docs.ts';
import { mountPayments } from './payments/routes.ts';
import { mountProducts } from './products/routes.ts';
import { mountReviews } from './reviews/routes.ts';
import type { Calls } from '../http/route.ts';
import type { Env } from '../http/visit.ts';
import type { Shop } from './shop.ts';
import { mountUsers } from './users/routes.ts';

/** The calls of the contract under `/api`, and their documentation. */
export function mountCalls(shop: Shop, responseCache: ResponseCache, manifest: Manifest): Calls {
  const router = new Hono<Env>();
  const calls: Calls = { router, handlers: new Map() };
  const loadOpenApi = loadOnce(async () => {
    const { makeOpenApi } = await import('../http/openapi/openapi.ts');
    return JSON.stringify(makeOpenApi(sessionCookie(shop.config)));
  });

  router.get(`${apiBase}/docs`, async (c) => serveApiDocs(c.req.raw, await c.env.findViewer(), manifest));

  router.use(`${apiBase}/*`, responseCache.middleware);
  router.get(`${apiBase}/openapi.json`, async (c) =>
    c.body(await loadOpenApi(), 200, {
      'content-type': 'application/json',
      'cache-control': 'public, no-cache',
    }),
  );
  mountProducts(calls, shop);
  mountReviews(calls, shop);
  mountUsers(calls, shop);
  mountOrders(calls, shop);
  mountPayments(calls, shop);
  mountAudit(calls, shop);
  mountHealth(calls, shop);
  return calls;
}
