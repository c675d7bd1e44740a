import { renderToString } from 'react-dom/server';
import {
  createStaticHandler,
  createStaticRouter,
  type DataRouteObject,
  type RouteObject,
  RouterContextProvider,
  type StaticHandlerContext,
  StaticRouterProvider,
} from 'react-router';
import type { LoadedPage } from '../contract/pages.ts';
import {
  type ActionContext,
  actionContext,
  type LoaderContext,
  loaderContext,
} from './client/route-context.ts';
import { HeadContext } from './components/page-head.tsx';
import { actions } from './forms/actions.ts';
import { deserializeErrors } from './page-errors.ts';
import { routes } from './routes.tsx';
import { type ShopData, ShopProvider } from './shop.tsx';

const handler = createStaticHandler(addActions(routes));

/** The browser's script sends forms as API calls, so only the server's routes have actions. */
function addActions(under: RouteObject[]): RouteObject[] {
  return under.map((route) => {
    const action = actions[route.id ?? ''];
    if (route.index) return action ? { ...route, action } : route;
    const { children } = route;
    return {
      ...route,
      ...(action ? { action } : {}),
      ...(children ? { children: addActions(children) } : {}),
    };
  });
}

/** Runs a page's action and loaders on behalf of its visitor; a `Response` if one redirects. */
export function runRoutes(
  request: Request,
  visitor: LoaderContext,
  posted?: ActionContext,
): Promise<StaticHandlerContext | Response> {
  const requestContext = new RouterContextProvider();
  requestContext.set(loaderContext, visitor);
  if (posted) requestContext.set(actionContext, posted);
  return handler.query(request, { requestContext });
}

const routesById = new Map(listRoutes(handler.dataRoutes).map((route) => [route.id, route]));

function listRoutes(under: DataRouteObject[]): DataRouteObject[] {
  return under.flatMap((route) => [route, ...listRoutes(route.children ?? [])]);
}

/** The router's context of a page that another thread has loaded. */
export async function restoreContext(page: LoadedPage): Promise<StaticHandlerContext> {
  const { location, loaderData, actionData = null, errors, status: statusCode } = page;
  const matches = await Promise.all(
    page.matches.map(async ({ id, ...match }) => ({ ...match, route: await loadRoute(id) })),
  );
  return {
    ...{
      basename: '/',
      location,
      matches,
      loaderData,
      actionData,
      errors: deserializeErrors(errors),
      statusCode,
    },
    ...{ loaderHeaders: {}, actionHeaders: {}, _match: handler.match },
  };
}

async function loadRoute(id: string): Promise<DataRouteObject> {
  const route = routesById.get(id);
  if (!route) throw new Error(`There is no route ${id}.`);
  if (typeof route.lazy === 'function') Object.assign(route, await route.lazy(), { lazy: undefined });
  return route;
}

/**
 * Renders what the loaders found; the page's title and description are put into `head`. `renderToString` and no
 * stream, since a stream prints scripts of its own, and none stands in our pages.
 */
export function renderBody(
  found: StaticHandlerContext,
  shop: ShopData,
  head: { title: string; description: string },
): string {
  return renderToString(
    <HeadContext value={head}>
      <ShopProvider shop={shop}>
        <StaticRouterProvider
          router={createStaticRouter(handler.dataRoutes, found)}
          context={found}
          hydrate={false}
        />
      </ShopProvider>
    </HeadContext>,
  );
}
