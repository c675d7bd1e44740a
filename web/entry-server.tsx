import { isRouteErrorResponse, type RouteObject, type StaticHandlerContext } from 'react-router';
import type { Manifest, PageRequest, RenderedPage } from '../contract/pages.ts';
import { CallFailed } from './client.ts';
import { createDirectClient } from './direct-client.ts';
import { documentOf } from './document.ts';
import { readIdentityAnswer } from './identity.ts';
import { problemOf, sendErrors } from './page-errors.ts';
import type { loader as loadHome } from './pages/home.tsx';
import { renderBody, runRoutes } from './render-body.tsx';
import { routes } from './routes.tsx';
import { structuredData } from './structured-data.ts';
import type { Post } from './visit.ts';

/** For the manifest: the server's counts know a page by its id. */
export const paths: Manifest['paths'] = Object.fromEntries(listPaths(routes, ''));

function listPaths(under: RouteObject[], base: string): [id: string, path: string][] {
  return under.flatMap(({ id, path = '', index, children }) => {
    const here = path === '' ? base : `${base}/${path}`.replace('//', '/');
    if (children && !index) return listPaths(children, here);
    return id === undefined || path === '*' ? [] : [[id, here === '' ? '/' : here]];
  });
}

/** Makes one page: on behalf of the visitor, runs its action if a form was posted, and its loaders; then renders it. */
export async function render(page: PageRequest): Promise<RenderedPage> {
  const { url, viewer, settings, post } = page;
  const client = createDirectClient(page.askCall);
  const request = post
    ? new Request(url, { method: 'POST', body: new URLSearchParams(post.form.fields) })
    : new Request(url);
  const found = await runRoutes(request, { client, viewer, settings }, post && openPost(post));
  if (found instanceof Response)
    return {
      // 303 makes the browser follow a POST with a GET.
      status: post ? 303 : found.status,
      location: found.headers.get('location') ?? '/',
      html: '',
      takesCards: false,
    };
  try {
    return print(page, found);
  } catch (error) {
    // Error boundaries do not work in `renderToString`: the page is made again as the error's own.
    return print(page, { ...found, errors: { root: error } });
  }
}

function openPost({ form, actions }: NonNullable<PageRequest['post']>): Post {
  return {
    sender: {
      client: createDirectClient(actions.call),
      askIdentity: async (path, body) => readIdentityAnswer(await actions.askIdentity(path, body)),
    },
    pictureProblem: form.pictureProblem,
  };
}

function print(page: PageRequest, thrown: StaticHandlerContext): RenderedPage {
  const found = withNumbers(thrown, page.requestId);
  const head = { title: '', description: '' };
  const { settings, manifest } = page;
  const shop = { settings, movement: manifest.files['movement.svg'] ?? '' };
  const body = renderBody(found, shop, head);
  const ids = found.matches.map(({ route }) => route.id);
  const takesCards = found.matches.some(({ route }) => route.handle?.takesCards === true);
  const errors = sendErrors(found.errors);
  const actionData = found.actionData ?? undefined;
  // Screen readers read the title first: without a script to move the focus, nothing else announces a refused form.
  if (actionData) head.title = `Error: ${head.title}`;
  const home: Awaited<ReturnType<typeof loadHome>> | undefined = found.loaderData.home;
  const error = Object.values(thrown.errors ?? {}).find(
    // The router's own 4xx errors, such as for a form posted to a page without one, are the visitor's.
    (each) => !(each instanceof CallFailed || (isRouteErrorResponse(each) && each.status < 500)),
  );
  return {
    status: errors ? (Object.values(errors)[0]?.status ?? 500) || 500 : statusOf(found, ids),
    html: documentOf({
      page,
      head,
      body,
      data: { shop, loaderData: found.loaderData, actionData, errors },
      pages: ids,
      takesCards,
      structured: home && structuredData(settings, home.products, manifest.files['icon-512.png'] ?? ''),
    }),
    takesCards,
    ...(error === undefined ? {} : { error }),
  };
}

/** What nobody foresaw names the request, as what a call answers does already. */
function withNumbers(found: StaticHandlerContext, requestId: string): StaticHandlerContext {
  const name = (error: unknown) => {
    if (error instanceof CallFailed || isRouteErrorResponse(error)) return error;
    const problem = problemOf(error);
    const detail = `${problem.detail} If it lasts, tell us this number: ${requestId}.`;
    return new CallFailed({ ...problem, detail, requestId });
  };
  if (!found.errors) return found;
  const errors = Object.entries(found.errors).map(([route, error]) => [route, name(error)]);
  return { ...found, errors: Object.fromEntries(errors) };
}

function statusOf(found: StaticHandlerContext, ids: string[]): number {
  return ids.includes('not-found') ? 404 : found.statusCode;
}
