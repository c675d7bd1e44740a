import { Hono } from 'hono';
import type { PageCall, Viewer as PageViewer } from '../../contract/pages.ts';
import type { Problem } from '../../contract/problem.ts';
import { identityErrorResponse, toProblemDetails, toShopError } from '../http/problem.ts';
import type { Env, RequestContext } from '../http/request-context.ts';
import type { ResponseCache } from '../http/response-cache.ts';
import { type Calls, readInProcess } from '../http/route.ts';
import { listSignInMethods } from '../identity/accounts.ts';
import type { createIdentityRoutes } from '../identity/routes.ts';
import type { createSecurityLog } from '../operations/security-log.ts';
import type { createImageHost } from '../shop/images/upload.ts';
import type { Shop } from '../shop/shop.ts';
import { createFormPosts } from './form-posts.ts';
import type { createPages } from './pages.ts';

export type PageParts = {
  pages: ReturnType<typeof createPages>;
  calls: Calls;
  identity: ReturnType<typeof createIdentityRoutes>;
  images: ReturnType<typeof createImageHost>;
  responseCache: ResponseCache;
  securityLog: ReturnType<typeof createSecurityLog>;
};

/** Routes for the build's files, the pages and the forms posted to them. */
export function createPageRoutes({ config, database, log }: Shop, parts: PageParts): Hono<Env> {
  const { pages, calls, identity, images, responseCache, securityLog } = parts;
  const posts = createFormPosts({
    config,
    calls,
    identity,
    images,
    logSecurity: securityLog,
    toProblem: describeProblem,
    toIdentityResponse: (error, requestId) => identityErrorResponse(toShopError(error, log, requestId)),
  });

  function describeProblem(error: unknown, requestId: string): Problem {
    return toProblemDetails(toShopError(error, log, requestId), requestId);
  }

  async function toPageVisit(visit: RequestContext) {
    const call: PageCall = (name, args) =>
      readInProcess(calls, visit, name, args).catch((error: unknown) => {
        throw describeProblem(error, visit.requestId);
      });
    const { anonymous, requestId } = visit;
    return { viewer: await findPageViewer(visit), anonymous, requestId, call };
  }

  /** The viewer without the session's token. */
  async function findPageViewer(visit: RequestContext): Promise<PageViewer | undefined> {
    const viewer = await visit.findViewer();
    if (!viewer) return undefined;
    const { id, token, role, ...rest } = viewer;
    const signsInWith = await listSignInMethods(database, id);
    return { _id: id, ...rest, ...(role ? { role } : {}), signsInWith };
  }

  const routes = new Hono<Env>();

  routes.get(
    '*',
    (c, next) => {
      const file = pages.serveFile(c.env.url.pathname, c.req.raw);
      return file ? Promise.resolve(file) : next();
    },
    responseCache.middleware,
    async (c) => pages.servePage(c.req.raw, await toPageVisit(c.env)),
  );

  routes.post('*', async (c) => {
    const request = c.req.raw;
    const form = await posts.readForm(request, c.env);
    const headers = new Headers();
    const post = { form, actions: posts.createActions(request, c.env, headers) };
    const response = await pages.servePage(request, { ...(await toPageVisit(c.env)), post });
    for (const [name, value] of headers) response.headers.append(name, value);
    return response;
  });

  return routes;
}
