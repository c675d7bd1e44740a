import { randomUUID } from 'node:crypto';
import { contract } from '../contract/contract.ts';
import type { AskCall, Viewer as PageViewer } from '../contract/pages.ts';
import { apiBase } from '../contract/paths.ts';
import type { Problem } from '../contract/problem.ts';
import { mountCalls } from './calls.ts';
import { ShopError, wrongMethod } from './errors.ts';
import { authBase } from './identity/form.ts';
import { sessionCookie } from './identity/names.ts';
import type { createIdentityRoutes } from './identity/routes.ts';
import { createViewerFinder, listWays, type Viewer } from './identity/viewer.ts';
import { type createImages, refuseUpload } from './images/routes.ts';
import type { Kept } from './kept.ts';
import { createAddressReader, hostsOf, judgeHost, judgeOrigin } from './origin.ts';
import { serveApiDocs } from './pages/api-docs.ts';
import type { createPages } from './pages/pages.ts';
import { createPosts } from './pages/posts.ts';
import { identityError, problemResponse, toProblem, toShopError } from './problem.ts';
import type { Readiness } from './readiness.ts';
import { askDirectly, type Visit } from './route.ts';
import { secure } from './security-headers.ts';
import { createSecurityLog } from './security-log.ts';
import type { Shop } from './shop.ts';

export type App = {
  fetch: (request: Request, address?: string) => Promise<Response>;
  /** The answer to a request that is refused before anybody looks at it. */
  refuse: (request: Request, error: ShopError) => Response;
};

type Parts = {
  identity: ReturnType<typeof createIdentityRoutes>;
  images: ReturnType<typeof createImages>;
  pages: ReturnType<typeof createPages> | undefined;
  /** Answers that are everybody's. */
  kept: Kept;
  readiness: Readiness;
  /** Answers `/metrics`, for who may read it. */
  metrics: (request: Request, socketAddress: string) => Promise<Response>;
  /** What answers under /sandbox, where the stand-ins run. */
  standIns: ((request: Request) => Promise<Response>) | undefined;
};

/** Addresses come back escaped in `Location` and `Link`, and Node's clients read no more than 16 KB of headers. */
const mostAddress = 4000;

const docsPath = `${apiBase}/docs`;

/** The whole shop as one Fetch handler; the network, the server rendering and the tests call it alike. */
export function createApp(shop: Shop, parts: Parts): App {
  const { config, log } = shop;
  const calls = mountCalls(shop);
  const hosts = hostsOf(config);
  // Of several processes one may hear of a change a moment after another has answered it: no caller is to see that.
  const keepsCalls = shop.database.engine === 'sqlite';
  const readAddress = createAddressReader(config.trustedProxies);
  const find = createViewerFinder({
    database: shop.database,
    secret: shop.secret,
    cookie: sessionCookie(config),
  });

  const note = createSecurityLog(log, shop.secret);
  const posts = createPosts({
    ...{ config, calls, note },
    ...{ identity: parts.identity, images: parts.images },
    toProblem: problemOf,
    refuseIdentity: (error, requestId) => identityError(toShopError(error, log, requestId)),
  });

  function problemOf(error: unknown, requestId: string): Problem {
    return toProblem(toShopError(error, log, requestId), requestId);
  }

  async function answer(request: Request, url: URL, visit: Visit, socketAddress: string): Promise<Response> {
    const { pathname } = url;
    if (pathname === '/healthz') return new Response('ok\n', { headers: { 'cache-control': 'no-store' } });
    if (pathname === '/readyz') return parts.readiness.answer(visit.requestId);
    if (pathname === '/metrics') return parts.metrics(request, socketAddress);
    if (url.href.length > mostAddress)
      throw new ShopError('too_long', `An address here has at most ${mostAddress} characters.`);
    judgeHost(config, hosts, url);
    if (pathname.startsWith('/sandbox/') && parts.standIns) return parts.standIns(request);
    // Signed by the provider; no browser sends it.
    if (pathname !== apiBase + contract.receiveStripeEvent.path) judgeOrigin(config, request);
    if (pathname.startsWith(`${authBase}/`)) return parts.identity.answer(request, pathname, visit);
    if (pathname === docsPath && parts.pages) return answerDocs(request, visit, parts.pages);
    if (pathname.startsWith(`${apiBase}/`)) return answerCall(request, url, visit);
    if (pathname === contract.uploadImage.path) return answerUpload(request, visit);
    if (pathname.startsWith('/images/')) return answerImage(request, pathname, visit);
    return answerPage(request, url, visit);
  }

  function answerCall(request: Request, url: URL, visit: Visit): Promise<Response> {
    return share(request, url, visit, async (asked) => calls.http.fetch(asked, visit), keepsCalls);
  }

  async function answerDocs(request: Request, visit: Visit, { manifest }: ReturnType<typeof createPages>) {
    if (!isReading(request)) throw wrongMethod('GET', 'HEAD');
    return serveApiDocs(request, await visit.findViewer(), manifest);
  }

  /** What somebody without a name reads is the same for all of them, and may be kept. */
  function share(
    request: Request,
    url: URL,
    visit: Visit,
    make: (request: Request) => Promise<Response>,
    keep: boolean,
  ): Promise<Response> {
    if (!visit.anonymous || !isReading(request)) return make(request);
    const whole = request.method === 'GET' ? request : new Request(url, { headers: request.headers });
    return parts.kept.answer(request, url.pathname + url.search, () => make(whole), keep);
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

  async function answerPage(request: Request, url: URL, visit: Visit): Promise<Response> {
    const { pages } = parts;
    const path = url.pathname;
    if (!pages) throw new ShopError('not_found', 'There is no such page.');
    const { anonymous, requestId } = visit;
    // Who asks has been found already, and is not looked up again for each call.
    const askCall: AskCall = (name, given) =>
      askDirectly(calls, visit, name, given).catch((error: unknown) => {
        throw problemOf(error, requestId);
      });
    if (request.method === 'POST') {
      const form = await posts.read(request, visit);
      const viewer = await findPageViewer(visit);
      const headers = new Headers();
      const post = { form, actions: posts.act(request, visit, headers) };
      const response = await pages.page(request, { viewer, anonymous, requestId, askCall, post });
      for (const [name, value] of headers) response.headers.append(name, value);
      return response;
    }
    if (!isReading(request)) throw wrongMethod('GET', 'HEAD', 'POST');
    const file = pages.file(path, request);
    if (file) return file;
    const page = async (asked: Request) =>
      pages.page(asked, { viewer: await findPageViewer(visit), anonymous, requestId, askCall });
    return share(request, url, visit, page, true);
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
      const requestId = randomUUID();
      const url = new URL(request.url);
      let viewer: Promise<Viewer | undefined> | undefined;
      const visit: Visit = {
        requestId,
        address: readAddress(socketAddress, request.headers),
        anonymous: !request.headers.has('cookie') && !request.headers.has('authorization'),
        findViewer: () => (viewer ??= find(request.headers)),
      };
      const response = await answer(request, url, visit, socketAddress).catch((error: unknown) =>
        refusal(url, toShopError(error, log, requestId), requestId),
      );
      if (url.pathname.startsWith('/sandbox/') && parts.standIns) return response;
      const noting = note(request, url.pathname, response, visit);
      if (noting) await noting;
      return sign(response, requestId);
    },
    refuse(request, error) {
      const requestId = randomUUID();
      return sign(refusal(new URL(request.url), error, requestId), requestId);
    },
  };

  function sign(response: Response, requestId: string): Response {
    response.headers.set('x-request-id', requestId);
    // A page, too, whose parts could not be had.
    if (response.status === 503 && !response.headers.has('retry-after'))
      response.headers.set('retry-after', '5');
    secure(config, response.headers);
    return response;
  }
}

/** An error in the shape of the protocol that is spoken at this address. */
function refusal({ pathname }: URL, error: ShopError, requestId: string): Response {
  if (pathname.startsWith(`${authBase}/`)) return identityError(error);
  return pathname === contract.uploadImage.path ? refuseUpload(error) : problemResponse(error, requestId);
}

async function getViewer(visit: Visit): Promise<Viewer> {
  const viewer = await visit.findViewer();
  if (!viewer) throw new ShopError('not_signed_in', 'Sign in and try again.');
  return viewer;
}

const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';
