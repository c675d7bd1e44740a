import { Hono } from 'hono';
import { uuidv7 } from 'uuidv7';
import { contract } from '../contract/contract.ts';
import type { Viewer as PageViewer } from '../contract/pages.ts';
import { apiBase } from '../contract/paths.ts';
import { ShopError, wrongMethod } from './errors.ts';
import { sessionCookie } from './identity/auth.ts';
import { authBase, type createIdentityRoutes } from './identity/routes.ts';
import { createViewerFinder, listWays, type Viewer } from './identity/viewer.ts';
import { type createImages, refuseUpload } from './images/routes.ts';
import { createOpenApi } from './openapi.ts';
import { mountOrders } from './orders/routes.ts';
import { createAddressReader, judgeHost, judgeOrigin } from './origin.ts';
import type { createPages } from './pages/pages.ts';
import { mountPayments } from './payments/routes.ts';
import { identityError, problemResponse, toShopError } from './problem.ts';
import { mountProducts } from './products/routes.ts';
import { mountReviews } from './reviews/routes.ts';
import type { Env, Visit } from './route.ts';
import type { Shop } from './shop.ts';
import { mountUsers } from './users/routes.ts';

export type App = { fetch: (request: Request, address?: string) => Promise<Response> };

type Parts = {
  identity: ReturnType<typeof createIdentityRoutes>;
  images: ReturnType<typeof createImages>;
  /** Pages call the shop's own calls through `callApi`, in this process. */
  pages: ReturnType<typeof createPages> | undefined;
  /** What answers under /sandbox, where the stand-ins run. */
  standIns: ((request: Request) => Promise<Response>) | undefined;
};

/** The whole shop as one Fetch handler; the network, the server rendering and the tests call it alike. */
export function createApp(shop: Shop, parts: Parts): App {
  const { config, log } = shop;
  const calls = mountCalls(shop);
  const readAddress = createAddressReader(config.trustedProxies);
  const find = createViewerFinder({
    database: shop.database,
    secret: shop.secret,
    cookie: sessionCookie(config),
  });

  async function answer(request: Request, url: URL, visit: Visit): Promise<Response> {
    const { pathname } = url;
    if (pathname === '/healthz') return new Response('ok\n', { headers: { 'cache-control': 'no-store' } });
    judgeHost(config, url);
    if (pathname.startsWith('/sandbox/') && parts.standIns) return parts.standIns(request);
    // Signed by the provider; no browser sends it.
    if (pathname !== apiBase + contract.receiveStripeEvent.path) judgeOrigin(config, request);
    if (pathname.startsWith(`${authBase}/`)) return parts.identity.answer(request, pathname, visit.address);
    if (pathname.startsWith(`${apiBase}/`)) return calls.fetch(request, visit);
    if (pathname === contract.uploadImage.path) return answerUpload(request, visit);
    if (pathname.startsWith('/images/')) return answerImage(request, pathname, visit);
    return answerPage(request, pathname, visit);
  }

  async function answerUpload(request: Request, visit: Visit): Promise<Response> {
    if (request.method !== 'POST') throw wrongMethod('POST');
    return parts.images.upload(request, await getViewer(visit));
  }

  async function answerImage(request: Request, path: string, visit: Visit): Promise<Response> {
    if (request.method === 'DELETE') return parts.images.remove(path, await getViewer(visit));
    if (!isReading(request)) throw wrongMethod('GET', 'HEAD', 'DELETE');
    return parts.images.serve(request, path);
  }

  async function answerPage(request: Request, path: string, visit: Visit): Promise<Response> {
    if (!parts.pages) throw new ShopError('not_found', 'There is no such page.');
    // A form that was sent before its script was there: back to the form, with nothing in the address.
    if (request.method === 'POST')
      return new Response(null, { status: 303, headers: { location: path.replace(/^\/+/, '/') } });
    if (!isReading(request)) throw wrongMethod('GET', 'HEAD', 'POST');
    return (
      (await parts.pages.file(path, request)) ??
      parts.pages.page(request, await findPageViewer(visit), visit.requestId)
    );
  }

  /** Who is looking, as the pages know them: without the session's secret. */
  async function findPageViewer(visit: Visit): Promise<PageViewer | undefined> {
    const viewer = await visit.findViewer();
    if (!viewer) return undefined;
    const { id, token, role, ...rest } = viewer;
    const signsInWith = await listWays(shop.database, id);
    return { _id: id, ...rest, ...(role ? { role } : {}), signsInWith };
  }

  return {
    async fetch(request, socketAddress = '127.0.0.1') {
      const requestId = uuidv7();
      const url = new URL(request.url);
      let viewer: Promise<Viewer | undefined> | undefined;
      const visit: Visit = {
        requestId,
        address: readAddress(socketAddress, request.headers),
        findViewer: () => (viewer ??= find(request.headers)),
      };
      const response = await answer(request, url, visit).catch((error: unknown) => {
        const known = toShopError(error, log, requestId);
        if (url.pathname.startsWith(`${authBase}/`)) return identityError(known);
        return url.pathname === contract.uploadImage.path
          ? refuseUpload(known)
          : problemResponse(known, requestId);
      });
      return url.pathname.startsWith('/sandbox/')
        ? response
        : secured(response, requestId, config.origins[0]);
    },
  };
}

async function getViewer(visit: Visit): Promise<Viewer> {
  const viewer = await visit.findViewer();
  if (!viewer) throw new ShopError('not_signed_in', 'Sign in and try again.');
  return viewer;
}

/** Every call of the contract under `/api`. */
function mountCalls(shop: Shop): Hono<Env> {
  const app = new Hono<Env>();
  const openApi = createOpenApi(sessionCookie(shop.config));
  mountProducts(app, shop);
  mountReviews(app, shop);
  mountUsers(app, shop);
  mountOrders(app, shop);
  mountPayments(app, shop);
  app.get(`${apiBase}/openapi.json`, (c) => c.json(openApi()));
  app.onError((error, c) => problemResponse(toShopError(error, shop.log, c.env.requestId), c.env.requestId));
  app.notFound((c) => {
    const allowed = methodsAt(c.req.path);
    const error = allowed.length
      ? wrongMethod(...allowed)
      : new ShopError('not_found', 'There is no such call.');
    return problemResponse(error, c.env.requestId);
  });
  return app;
}

const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

function methodsAt(path: string): string[] {
  const fits = (pattern: string) => new RegExp(`^${apiBase}${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path);
  return Object.values(contract)
    .filter((call) => fits(call.path))
    .map((call) => call.method);
}

/** What every answer of the shop says to a browser; a page brings its own security policy. */
function secured(response: Response, requestId: string, origin: string): Response {
  const headers = new Headers(response.headers);
  headers.set('x-request-id', requestId);
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'strict-origin-when-cross-origin');
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('permissions-policy', 'camera=(), geolocation=(), microphone=()');
  if (!headers.has('content-security-policy'))
    headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  if (!headers.has('cross-origin-resource-policy'))
    headers.set('cross-origin-resource-policy', 'same-origin');
  if (origin.startsWith('https:')) headers.set('strict-transport-security', 'max-age=31536000');
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
