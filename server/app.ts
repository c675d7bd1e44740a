import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { contract } from '../contract/contract.ts';
import { notFound, ShopError, wrongMethod } from '../contract/errors.ts';
import { loginPage, twoFactorPage } from '../contract/page-addresses.ts';
import type { Manifest } from '../contract/pages.ts';
import { apiBase } from '../contract/paths.ts';
import { loadOnce } from './config/load-once.ts';
import { currentClient } from './database/connection-turns.ts';
import { type Calls, checkExpectedUser, requireSessionUser } from './http/calls/route.ts';
import type { Readiness } from './http/connections/readiness.ts';
import {
  checkHost,
  checkOrigin,
  createAddressReader,
  isAnonymous,
  isForwarded,
  listHosts,
  maxUrlLength,
  setSecurityHeaders,
} from './http/origin.ts';
import { identityErrorResponse, problemResponse, toShopError } from './http/problem.ts';
import type { FairQueue } from './http/rate-limit.ts';
import type { App, Env, RequestContext, SessionUser } from './http/request-context.ts';
import type { ResponseCache } from './http/response-cache.ts';
import { authBase } from './identity/calls.ts';
import { createViewerFinder, sessionCookie } from './identity/credentials.ts';
import { mountHealth } from './operations/health/troubles.ts';
import { mountOverview } from './operations/overview/overview.ts';
import { createSecurityLog } from './operations/security-log.ts';
import { serveApiDocs } from './pages/api-docs.ts';
import { createPageRoutes, type PageParts } from './pages/routes.ts';
import { mountAccountData } from './shop/account-data/routes.ts';
import { mountAudit } from './shop/audit/audit.ts';
import { mountBasket } from './shop/basket/routes.ts';
import { handleUnsubscribe, mountContact, unsubscribePaths } from './shop/contact/routes.ts';
import { mountDelivery } from './shop/delivery/routes.ts';
import { deleteImage, serveImage } from './shop/images/stored-images.ts';
import { rejectUpload } from './shop/images/upload.ts';
import { mountOrders } from './shop/orders/routes.ts';
import { mountRefunds } from './shop/payments/refunds/routes.ts';
import { mountPayments } from './shop/payments/routes.ts';
import { mountPrinting } from './shop/printing/routes.ts';
import { mountProducts } from './shop/products/routes.ts';
import { mountStock } from './shop/products/stock/routes.ts';
import { mountReviews } from './shop/reviews/routes.ts';
import type { Shop } from './shop/shop.ts';
import { mountUsers } from './shop/users/users.ts';

type Parts = Omit<PageParts, 'calls' | 'securityLog'> & {
  /** Limits how many images and uncached responses are read at a time for each network address. */
  renderQueue: FairQueue;
  readiness: Readiness;
  metrics: (request: Request, socketAddress: string) => Promise<Response>;
  standIns:
    | {
        fetch: (request: Request) => Promise<Response>;
        /** If others can reach the sandbox, only admins may visit these paths. */
        isPrivate: (path: string) => boolean;
      }
    | undefined;
};

const uploadPath = contract.uploadImage.path;

/** The whole shop as one Fetch handler: the network, server rendering and the tests all call it. */
export function createApp(shop: Shop, parts: Parts): App {
  const { config, database, log, secret } = shop;
  const hosts = listHosts(config);
  const { readAddress } = createAddressReader(config.trustedProxies);
  const findViewer = createViewerFinder({ database, secret, config });
  const securityLog = createSecurityLog(log, secret);
  const { identity, images, pages, responseCache, renderQueue, readiness, standIns } = parts;

  // Routes match the path as it was sent, so `/%61pi` is not `/api` to any check, log line or metric.
  const app = new Hono<Env>({ getPath: (_, options) => options?.env?.url.pathname ?? '/' });
  app.onError((error, { env }) => errorResponse(env, toShopError(error, log, env.requestId)));
  app.notFound(({ env }) => errorResponse(env, notFound('call')));

  function checkUrl(url: URL): void {
    if (url.href.length > maxUrlLength)
      throw new ShopError('too_long', `A URL may have at most ${maxUrlLength} characters.`);
    checkHost(config, hosts, url);
  }

  // Before the security headers, because the stand-ins set their own.
  if (standIns)
    app.all('/sandbox/*', async (c) => {
      checkUrl(c.env.url);
      const isShared = !config.loopback || isForwarded(c.req.raw.headers);
      if (isShared && standIns.isPrivate(c.env.url.pathname)) {
        const viewer = await c.env.findViewer();
        if (viewer?.role !== 'admin')
          return c.redirect(viewer?.adminStep ? twoFactorPage : `${loginPage}?reason=admin`, 303);
      }
      return standIns.fetch(c.req.raw);
    });

  app.use(async (c, next) => {
    await next();
    await securityLog(c.req.raw, c.env.url.pathname, c.res, c.env);
    setHeaders(c.res, c.env.requestId);
  });

  // Load balancers and monitoring use any host, and some use OPTIONS.
  app.all('/healthz', (c) => c.body('ok\n', 200, { 'cache-control': 'no-store' }));
  app.all('/readyz', (c) => readiness.answer(c.env.requestId));
  const metrics = new Hono<Env>().get('/metrics', (c) => parts.metrics(c.req.raw, c.env.socketAddress));
  mount(metrics, '/metrics');

  // Before the origin check: mail programs post here, and the token in the URL authenticates them.
  for (const path of unsubscribePaths)
    app.post(path, (c) => {
      checkUrl(c.env.url);
      return handleUnsubscribe(shop, c.req.raw, c.env.url);
    });

  app.use((c, next) => {
    checkUrl(c.env.url);
    // Stripe's webhook calls have no origin; their signature authenticates them.
    if (c.env.url.pathname !== apiBase + contract.receiveStripeEvent.path) checkOrigin(config, c.req.raw);
    return next();
  });

  app.use(async (c, next) => {
    await checkExpectedUser(c.req.raw.headers, c.env);
    return next();
  });

  app.all(`${authBase}/*`, (c) => identity.handle(c.req.raw, c.env.url.pathname, c.env));

  const calls = createCalls(shop, responseCache, pages.manifest);
  mount(calls.router, `${apiBase}/*`);

  const imageHost = new Hono<Env>()
    .post(uploadPath, async (c) => images.upload(c.req.raw, await requireSessionUser(c.env)))
    .get('/images/*', (c) =>
      renderQueue(c.env.address, () => serveImage(database, c.req.raw, c.env.url.pathname), c.req.raw.signal),
    )
    .delete('/images/*', async (c) =>
      deleteImage(database, c.env.url.pathname, await requireSessionUser(c.env)),
    );
  mount(imageHost, uploadPath, '/images/*');

  mount(createPageRoutes(shop, { ...parts, calls, securityLog }), '*');

  /** Adds routes and lets them own `paths`: 405 for another method, 404 for an unknown path. */
  function mount(routes: Hono<Env>, ...paths: string[]): void {
    const onMethodNotAllowed = (_: Context<Env>, methods: string[]): Response => {
      throw wrongMethod(...methods);
    };
    const reject = methodNotAllowed({ app: routes, onMethodNotAllowed });
    for (const path of paths) app.use(path, reject);
    app.route('/', routes);
    for (const path of paths) app.all(path, (c) => c.notFound());
  }

  function setHeaders(response: Response, requestId: string): void {
    response.headers.set('x-request-id', requestId);
    // A page that cannot load its data may also be a 429 or a 503.
    if ([429, 503].includes(response.status) && !response.headers.has('retry-after'))
      response.headers.set('retry-after', '5');
    setSecurityHeaders(config, response.headers);
  }

  return {
    async fetch(request, socketAddress = '127.0.0.1') {
      const { headers } = request;
      let viewer: Promise<SessionUser | undefined> | undefined;
      const address = readAddress(socketAddress, headers.get('x-forwarded-for'));
      const client = { id: address, isUser: false };
      const findSessionUser = async () => {
        const user = await findViewer(headers);
        if (user) Object.assign(client, { id: user.id, isUser: true });
        return user;
      };
      const context: RequestContext = {
        requestId: randomUUID(),
        url: new URL(request.url),
        socketAddress,
        address,
        anonymous: isAnonymous(headers.get('cookie'), headers.get('authorization')),
        signal: request.signal,
        findViewer({ again } = { again: false }) {
          if (again || !viewer) viewer = findSessionUser();
          return viewer;
        },
      };
      if (database.engine === 'sqlite') return app.fetch(request, context);
      return currentClient.run(client, () => Promise.resolve(app.fetch(request, context)));
    },
    reject(request, error) {
      const rejected = { requestId: randomUUID(), url: new URL(request.url) };
      const response = errorResponse(rejected, error);
      setHeaders(response, rejected.requestId);
      return response;
    },
  };
}

/** The error in the format of the API at this URL. */
function errorResponse({ url, requestId }: Pick<RequestContext, 'url' | 'requestId'>, error: ShopError) {
  if (url.pathname.startsWith(`${authBase}/`)) return identityErrorResponse(error);
  return url.pathname === uploadPath ? rejectUpload(error) : problemResponse(error, requestId);
}

function createCalls(shop: Shop, responseCache: ResponseCache, manifest: Manifest): Calls {
  const router = new Hono<Env>();
  const calls: Calls = { router, handlers: new Map() };
  const loadOpenApi = loadOnce(async () => {
    const { makeOpenApi } = await import('../contract/openapi/openapi.ts');
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
  const areas = [
    mountProducts,
    mountStock,
    mountReviews,
    mountUsers,
    mountAccountData,
    mountOrders,
    mountDelivery,
    mountBasket,
    mountPayments,
    mountRefunds,
    mountPrinting,
    mountAudit,
    mountHealth,
    mountOverview,
    mountContact,
  ];
  for (const mountArea of areas) mountArea(calls, shop);
  return calls;
}
