import { isRouteErrorResponse, type RouteObject, type StaticHandlerContext } from 'react-router';
import type {
  LoadedPage,
  LoadResult,
  Manifest,
  PageRequest,
  RenderedPage,
  WebSettings,
} from '../contract/pages.ts';
import type { Problem } from '../contract/problem.ts';
import { routes } from './all-routes.ts';
import { ApiError } from './client/api/client.ts';
import { createDirectClient } from './client/api/direct-client.ts';
import { readIdentityResponse } from './client/api/identity.ts';
import type { ActionContext } from './client/route-context.ts';
import { renderDocument } from './document/document.ts';
import { renderFooter } from './document/footer.tsx';
import { renderBody, restoreContext, runRoutes } from './document/render-body.tsx';
import { buildStructuredData } from './document/structured-data.ts';
import { buildCategoryData, buildProductData } from './document/structured-product.ts';
import { toProblem } from './page-errors.ts';
import type { loader as loadHome } from './pages/home.tsx';
import type { loader as loadPurchase } from './pages/purchase.tsx';

/** The path pattern of each page by route id, for the manifest. Metrics name pages by id. */
export const paths: Manifest['paths'] = Object.fromEntries(listPaths(routes, ''));

/** Lists the path of each route. A route without a path of its own, such as an index, has its parent's path. */
function listPaths(branch: RouteObject[], parent: string): [id: string, path: string][] {
  return branch.flatMap(({ id, path = parent, index, children }) => {
    if (children && !index) return listPaths(children, path);
    return id === undefined || path === '*' ? [] : [[id, path]];
  });
}

/** Runs the page's action, if a form was posted, and its loaders on behalf of the viewer. */
export async function load(pageRequest: PageRequest): Promise<LoadResult> {
  const { url, requestId, viewer, frame, post, call } = pageRequest;
  const settings = { ...pageRequest.settings, ...(frame.delivers ? { delivers: frame.delivers } : {}) };
  const client = createDirectClient(call);
  const request = post
    ? new Request(url, { method: 'POST', body: new URLSearchParams(post.form.fields) })
    : new Request(url);
  const context = await runRoutes(request, { client, viewer, settings }, post && createActionContext(post));
  if (context instanceof Response) {
    // 303 makes the browser follow a POST with a GET.
    const status = post ? 303 : context.status;
    return { redirect: { status, location: context.headers.get('location') ?? '/' } };
  }
  const errors =
    context.errors && mapValues(context.errors, (error: unknown) => toProblemWithId(error, requestId));
  const page: LoadedPage = {
    url,
    requestId,
    viewer,
    settings,
    frame,
    status: errors ? getErrorStatus(errors) : getPageStatus(context, settings),
    takesCards: context.matches.some(({ route }) => route.handle?.takesCards === true),
    hasToken: context.matches.some(({ route }) => route.handle?.hasToken === true),
    location: context.location,
    matches: context.matches.map(({ route, params, pathname, pathnameBase }) => ({
      id: route.id,
      params,
      pathname,
      pathnameBase,
    })),
    loaderData: context.loaderData,
    actionData: context.actionData ?? undefined,
    errors: errors ?? undefined,
  };
  return { page, error: Object.values(context.errors ?? {}).find(isUnexpected) };
}

function createActionContext({ form, actions }: NonNullable<PageRequest['post']>): ActionContext {
  return {
    sender: {
      client: createDirectClient(actions.call),
      callIdentity: async (path, body) => readIdentityResponse(await actions.callIdentity(path, body)),
    },
    imageProblem: form.imageProblem,
  };
}

/** Renders a loaded page, or the root's error page if that fails. */
export async function render(page: LoadedPage, manifest: Manifest): Promise<RenderedPage> {
  try {
    return { status: page.status, html: await renderPage(page, manifest) };
  } catch (error) {
    // Error boundaries do not work in `renderToString`.
    const errors = { root: toProblemWithId(error, page.requestId) };
    return { status: 500, html: await renderPage({ ...page, errors }, manifest), error };
  }
}

async function renderPage(page: LoadedPage, manifest: Manifest): Promise<string> {
  const head = { title: '', description: '' };
  const { settings, frame, loaderData, actionData, errors } = page;
  const { files } = manifest;
  // A page with a card form is always a new document.
  const key = page.takesCards ? {} : { stripePublishableKey: '' };
  const shop = {
    settings: { ...settings, ...key },
    categories: frame.categories,
    ...(frame.promises.length > 0 ? { promises: frame.promises } : {}),
    styles: files['styles.css'] ?? '',
  };
  const context = await restoreContext(page);
  const body = renderBody(context, shop, head);
  // Screen readers read the title first: without a script to move the focus, nothing else announces a rejected form.
  if (actionData) head.title = `Error: ${head.title}`;
  const home: Awaited<ReturnType<typeof loadHome>> | undefined = context.loaderData.home;
  const purchase: Awaited<ReturnType<typeof loadPurchase>> | undefined = context.loaderData.purchase;
  const category = 'products' in loaderData && new URL(page.url).searchParams.get('category');
  return renderDocument({
    page,
    manifest,
    head,
    body,
    footer: renderFooter(frame, settings),
    data: { shop, loaderData, actionData, errors },
    structured:
      (home && buildStructuredData(settings, home.products, files['icon-512.png'] ?? '')) ??
      (purchase && buildProductData(settings, purchase.product, purchase.reviews.rows, frame)) ??
      (category ? buildCategoryData(settings, category) : undefined),
  });
}

/** Converts an error for display. An unexpected one contains the request id, which identifies it in the log. */
function toProblemWithId(error: unknown, requestId: string): Problem {
  const problem = toProblem(error);
  if (error instanceof ApiError || isRouteErrorResponse(error)) return problem;
  const detail = `${problem.detail} If this keeps happening, send us this request ID: ${requestId}.`;
  return { ...problem, detail, requestId };
}

/** The router's own 4xx errors, such as for a form posted to a page without one, are the client's fault. */
function isUnexpected(error: unknown): boolean {
  return !(error instanceof ApiError || (isRouteErrorResponse(error) && error.status < 500));
}

const getErrorStatus = (errors: Record<string, Problem>): number => Object.values(errors)[0]?.status || 500;

/** A page whose `setting` is not set shows the not-found page. */
function getPageStatus({ matches, statusCode }: StaticHandlerContext, settings: WebSettings): number {
  const isMissing = ({ id, handle }: RouteObject): boolean =>
    id === 'not-found' || (handle?.setting !== undefined && !(handle.setting in settings));
  return matches.some(({ route }) => isMissing(route)) ? 404 : statusCode;
}

function mapValues<From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
