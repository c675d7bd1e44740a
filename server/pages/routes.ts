import { Hono } from 'hono';
import { changeAddressPage, securityPage } from '../../contract/page-addresses.ts';
import type { FormActions, PageCall } from '../../contract/pages.ts';
import type { Problem } from '../../contract/problem.ts';
import { yieldToEventLoop } from '../config/event-loop.ts';
import { type Calls, callInProcess } from '../http/calls/route.ts';
import { identityErrorResponse, toProblemDetails, toShopError } from '../http/problem.ts';
import type { FairQueue } from '../http/rate-limit.ts';
import type { Env, RequestContext } from '../http/request-context.ts';
import type { ResponseCache } from '../http/response-cache.ts';
import { listSignInMethods } from '../identity/accounts.ts';
import { authBase } from '../identity/calls.ts';
import { findRequestedAddress } from '../identity/recovery/former-addresses.ts';
import type { createIdentityRoutes } from '../identity/routes.ts';
import type { createSecurityLog } from '../operations/security-log.ts';
import { readBasketQuantities } from '../shop/basket/basket.ts';
import type { createImageHost } from '../shop/images/upload.ts';
import type { Shop } from '../shop/shop.ts';
import { createFormReader } from './form-posts.ts';
import type { createPages, PageVisit } from './pages.ts';
import { createSitemapRoutes } from './sitemap.ts';

export type PageParts = {
  pages: ReturnType<typeof createPages>;
  calls: Calls;
  identity: ReturnType<typeof createIdentityRoutes>;
  images: ReturnType<typeof createImageHost>;
  responseCache: ResponseCache;
  /** Limits how many posted forms of a network address are processed at a time. */
  postQueue: FairQueue;
  securityLog: ReturnType<typeof createSecurityLog>;
};

/** Routes for the build's files, the pages and the forms posted to them. */
export function createPageRoutes({ config, database, log }: Shop, parts: PageParts): Hono<Env> {
  const { pages, calls, identity, images, responseCache, postQueue, securityLog } = parts;
  const readForm = createFormReader(config, images);

  const describe = (error: unknown, { requestId }: RequestContext): Problem =>
    toProblemDetails(toShopError(error, log, requestId), requestId);

  /** The page's calls reject with a `Problem`. */
  function bindCall(visit: RequestContext, caller: 'loader' | 'action'): PageCall {
    return (name, args) =>
      callInProcess(calls, visit, caller, name, args).catch((error: unknown) => {
        throw describe(error, visit);
      });
  }

  async function toPageVisit(visit: RequestContext): Promise<PageVisit> {
    const { anonymous, requestId } = visit;
    const page = { anonymous, requestId, call: bindCall(visit, 'loader') };
    const viewer = await visit.findViewer();
    if (!viewer) return { ...page, viewer: undefined };
    // Pages never get the session's token.
    const { id, token, role, adminStep, twoFactorOn, passedSecondFactor, emailVerified, ...person } = viewer;
    const account = { ...person, twoFactor: twoFactorOn, emailVerified: Boolean(emailVerified) };
    const link = visit.url.pathname === changeAddressPage && visit.url.searchParams.get('token');
    const [signsInWith, basketQuantities, requestedEmail] = await Promise.all([
      listSignInMethods(database, id),
      readBasketQuantities(database.db, id),
      link ? findRequestedAddress(database.db, id, link) : undefined,
    ]);
    const rights = { ...(role ? { role } : {}), ...(adminStep ? { adminStep } : {}) };
    const onlyHere = { signsInWith, basketQuantities, ...(requestedEmail ? { requestedEmail } : {}) };
    return { ...page, viewer: { _id: id, ...account, ...rights, ...onlyHere } };
  }

  /** `headers` collects the identity service's headers for the browser: the session cookie never reaches the page. */
  function createActions(request: Request, visit: RequestContext, headers: Headers): FormActions {
    const jsonHeaders = new Headers(request.headers);
    jsonHeaders.delete('content-length');
    jsonHeaders.set('content-type', 'application/json');
    return {
      call: bindCall(visit, 'action'),
      async callIdentity(name, body) {
        const path = authBase + name;
        const identityRequest = new Request(new URL(path, request.url), {
          method: 'POST',
          headers: jsonHeaders,
          body: JSON.stringify(body),
        });
        const response = await identity
          .handle(identityRequest, path, visit)
          .catch((error: unknown) => identityErrorResponse(toShopError(error, log, visit.requestId)));
        await securityLog(identityRequest, path, response, visit);
        for (const cookie of response.headers.getSetCookie()) headers.append('set-cookie', cookie);
        const retryAfter = response.headers.get('retry-after');
        if (retryAfter) headers.set('retry-after', retryAfter);
        return { status: response.status, body: await response.json().catch(() => undefined), retryAfter };
      },
    };
  }

  const routes = new Hono<Env>();

  routes.route('/', createSitemapRoutes(database, pages.settings, pages.listSitemapPaths));

  // https://w3c.github.io/webappsec-change-password-url/: password managers lead here. A visitor signs in first.
  routes.get('/.well-known/change-password', (c) => c.redirect(securityPage, 303));

  routes.get(
    '*',
    async (c, next) => pages.serveFile(c.env.url.pathname, c.req.raw) ?? next(),
    responseCache.middleware,
    async (c) => pages.servePage(c.req.raw, await toPageVisit(c.env)),
  );

  routes.post('*', async (c) => {
    const request = c.req.raw;
    const form = await readForm(request, c.env, (error) => describe(error, c.env));
    const headers = new Headers();
    const servePost = async () => {
      // A large form takes milliseconds to parse and render, and forms of many addresses arrive together.
      await yieldToEventLoop();
      const post = { form, actions: createActions(request, c.env, headers) };
      return pages.servePage(request, { ...(await toPageVisit(c.env)), post });
    };
    // Reads have a queue of their own, so that they do not wait for an action, which may wait for a provider.
    const response = await postQueue(c.env.address, servePost, request.signal);
    for (const [name, value] of headers) response.headers.append(name, value);
    return response;
  });

  return routes;
}
