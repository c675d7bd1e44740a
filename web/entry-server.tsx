import { isRouteErrorResponse, type RouteObject, type StaticHandlerContext } from 'react-router';
import type { LoadedPage, LoadResult, Manifest, PageRequest, RenderedPage } from '../contract/pages.ts';
import type { Problem } from '../contract/problem.ts';
import { ApiError } from './client/client.ts';
import { createDirectClient } from './client/direct-client.ts';
import { readIdentityResponse } from './client/identity.ts';
import type { ActionContext } from './client/route-context.ts';
import { renderDocument } from './document.ts';
import { toProblem } from './page-errors.ts';
import type { loader as loadHome } from './pages/home.tsx';
import { renderBody, restoreContext, runRoutes } from './render-body.tsx';
import { routes } from './routes.tsx';
import { structuredData } from './structured-data.ts';

/** For the manifest: the server's counts know a page by its id. */
export const paths: Manifest['paths'] = Object.fromEntries(listPaths(routes, ''));

function listPaths(under: RouteObject[], base: string): [id: string, path: string][] {
  return under.flatMap(({ id, path = '', index, children }) => {
    const here = path === '' ? base : `${base}/${path}`.replace('//', '/');
    if (children && !index) return listPaths(children, here);
    return id === undefined || path === '*' ? [] : [[id, here === '' ? '/' : here]];
  });
}

/** On behalf of the visitor, runs the page's action, if a form was posted, and its loaders. */
export async function load(asked: PageRequest): Promise<LoadResult> {
  const { url, requestId, viewer, settings, post } = asked;
  const client = createDirectClient(asked.call);
  const request = post
    ? new Request(url, { method: 'POST', body: new URLSearchParams(post.form.fields) })
    : new Request(url);
  const found = await runRoutes(request, { client, viewer, settings }, post && openPost(post));
  if (found instanceof Response) {
    // 303 makes the browser follow a POST with a GET.
    const status = post ? 303 : found.status;
    return { redirect: { status, location: found.headers.get('location') ?? '/' } };
  }
  const errors = found.errors && mapValues(found.errors, (error: unknown) => problemFor(error, requestId));
  const page: LoadedPage = {
    ...{ url, requestId, viewer, settings },
    status: errors ? statusOf(errors) : pageStatus(found),
    takesCards: found.matches.some(({ route }) => route.handle?.takesCards === true),
    location: found.location,
    matches: found.matches.map(({ route, params, pathname, pathnameBase }) => ({
      ...{ id: route.id, params, pathname, pathnameBase },
    })),
    loaderData: found.loaderData,
    actionData: found.actionData ?? undefined,
    errors: errors ?? undefined,
  };
  return { page, error: Object.values(found.errors ?? {}).find(isUnexpected) };
}

function openPost({ form, actions }: NonNullable<PageRequest['post']>): ActionContext {
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
    return { status: page.status, html: await print(page, manifest) };
  } catch (error) {
    // Error boundaries do not work in `renderToString`.
    const errors = { root: problemFor(error, page.requestId) };
    return { status: 500, html: await print({ ...page, errors }, manifest), error };
  }
}

async function print(page: LoadedPage, manifest: Manifest): Promise<string> {
  const head = { title: '', description: '' };
  const { settings, loaderData, actionData, errors } = page;
  const shop = { settings, movement: manifest.files['movement.svg'] ?? '' };
  const context = await restoreContext(page);
  const body = renderBody(context, shop, head);
  // Screen readers read the title first: without a script to move the focus, nothing else announces a refused form.
  if (actionData) head.title = `Error: ${head.title}`;
  const home: Awaited<ReturnType<typeof loadHome>> | undefined = context.loaderData.home;
  return renderDocument({
    ...{ page, manifest, head, body },
    data: { shop, loaderData, actionData, errors },
    structured: home && structuredData(settings, home.products, manifest.files['icon-512.png'] ?? ''),
  });
}

/** An error as the visitor sees it. An unexpected one carries the number of the request in the log. */
function problemFor(error: unknown, requestId: string): Problem {
  const problem = toProblem(error);
  if (error instanceof ApiError || isRouteErrorResponse(error)) return problem;
  const detail = `${problem.detail} If this keeps happening, tell us this number: ${requestId}.`;
  return { ...problem, detail, requestId };
}

/** The router's own 4xx errors, such as for a form posted to a page without one, are the visitor's. */
function isUnexpected(error: unknown): boolean {
  return !(error instanceof ApiError || (isRouteErrorResponse(error) && error.status < 500));
}

const statusOf = (errors: Record<string, Problem>): number => Object.values(errors)[0]?.status || 500;

function pageStatus({ matches, statusCode }: StaticHandlerContext): number {
  return matches.some(({ route }) => route.id === 'not-found') ? 404 : statusCode;
}

function mapValues<From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
