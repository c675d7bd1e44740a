import { renderToString } from 'react-dom/server';
import {
  type ActionFunction,
  createStaticHandler,
  createStaticRouter,
  type DataRouteObject,
  type RouteObject,
  RouterContextProvider,
  type StaticHandlerContext,
  StaticRouterProvider,
} from 'react-router';
import type { LoadedPage } from '../../contract/pages.ts';
import { routes } from '../all-routes.ts';
import {
  type ActionContext,
  actionContext,
  type LoaderContext,
  loaderContext,
} from '../client/route-context.ts';
import * as accountParts from '../components/layout/account.tsx';
import { setAccountParts } from '../components/layout/account-parts.ts';
import { HeadContext } from '../components/page-head.tsx';
import { deserializeErrors } from '../page-errors.ts';
import { type ShopData, ShopProvider } from '../shop.tsx';

// The server renders synchronously, so it cannot load these parts on demand as the browser does.
setAccountParts(accountParts);

const handler = createStaticHandler(routes);
let postHandler: typeof handler | undefined;

/** Loads the actions, which import every form, at the first post without scripts: the page's script calls the API instead. */
async function loadPostHandler(): Promise<typeof handler> {
  const { actions } = await import('../forms/actions.ts');
  postHandler ??= createStaticHandler(addActions(routes, actions));
  return postHandler;
}

function addActions(branch: RouteObject[], actions: Record<string, ActionFunction>): RouteObject[] {
  return branch.map((route) => {
    const action = actions[route.id ?? ''];
    if (route.index) return action ? { ...route, action } : route;
    const { children } = route;
    return {
      ...route,
      ...(action ? { action } : {}),
      ...(children ? { children: addActions(children, actions) } : {}),
    };
  });
}

/** Runs a page's action and loaders. Returns a `Response` if one of them redirects. */
export async function runRoutes(
  request: Request,
  context: LoaderContext,
  action?: ActionContext,
): Promise<StaticHandlerContext | Response> {
  const requestContext = new RouterContextProvider();
  requestContext.set(loaderContext, context);
  if (action) requestContext.set(actionContext, action);
  const { query } = action ? await loadPostHandler() : handler;
  return query(request, { requestContext });
}

const routesById = new Map(listRoutes(handler.dataRoutes).map((route) => [route.id, route]));

function listRoutes(branch: DataRouteObject[]): DataRouteObject[] {
  return branch.flatMap((route) => [route, ...listRoutes(route.children ?? [])]);
}

/** Restores the router's context of a page that was loaded in another thread. */
export async function restoreContext(page: LoadedPage): Promise<StaticHandlerContext> {
  const { location, loaderData, actionData = null, errors, status: statusCode } = page;
  const matches = await Promise.all(
    page.matches.map(async ({ id, ...match }) => ({ ...match, route: await loadRoute(id) })),
  );
  return {
    basename: '/',
    location,
    matches,
    loaderData,
    actionData,
    errors: deserializeErrors(errors),
    statusCode,
    loaderHeaders: {},
    actionHeaders: {},
    _match: handler.match,
  };
}

async function loadRoute(id: string): Promise<DataRouteObject> {
  const route = routesById.get(id);
  if (!route) throw new Error(`There is no route ${id}.`);
  if (typeof route.lazy === 'function') Object.assign(route, await route.lazy(), { lazy: undefined });
  return route;
}

/**
 * Renders a page and writes its title and description to `head`. It does not stream, because React's streams insert
 * inline scripts, which the security policy forbids.
 */
export function renderBody(
  context: StaticHandlerContext,
  shop: ShopData,
  head: { title: string; description: string },
): string {
  return renderToString(
    <HeadContext value={head}>
      <ShopProvider shop={shop}>
        <StaticRouterProvider
          router={createStaticRouter(nestRoutes(context), context)}
          context={context}
          hydrate={false}
        />
      </ShopProvider>
    </HeadContext>,
  );
}

/** Only the page's own routes, as a tree, because React Router copies and matches every route that it is given. */
const nestRoutes = ({ matches }: StaticHandlerContext): RouteObject[] =>
  matches.reduceRight<RouteObject[]>(
    (children, { route }) => [route.index ? route : { ...route, children }],
    [],
  );
