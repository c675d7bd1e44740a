import { renderToString } from 'react-dom/server';
import {
  createStaticHandler,
  createStaticRouter,
  type RouteObject,
  RouterContextProvider,
  type StaticHandlerContext,
  StaticRouterProvider,
} from 'react-router';
import { actions } from './actions.ts';
import { HeadContext } from './components/page-head.tsx';
import { routes } from './routes.tsx';
import { type ShopData, ShopProvider } from './shop.tsx';
import { type Post, post, type Visit, visit } from './visit.ts';

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
  visitor: Visit,
  posted?: Post,
): Promise<StaticHandlerContext | Response> {
  const requestContext = new RouterContextProvider();
  requestContext.set(visit, visitor);
  if (posted) requestContext.set(post, posted);
  return handler.query(request, { requestContext });
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
