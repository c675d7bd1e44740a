import { renderToString } from 'react-dom/server';
import {
  createStaticHandler,
  createStaticRouter,
  RouterContextProvider,
  type StaticHandlerContext,
  StaticRouterProvider,
} from 'react-router';
import { HeadContext } from './components/page-head.tsx';
import { routes } from './routes.tsx';
import { type ShopData, ShopProvider } from './shop.tsx';
import { type Visit, visit } from './visit.ts';

const handler = createStaticHandler(routes);

/** Asks a page's loaders, as who visits it; a `Response` where it leads elsewhere. */
export function askLoaders(request: Request, visitor: Visit): Promise<StaticHandlerContext | Response> {
  return handler.query(request, {
    requestContext: new RouterContextProvider(new Map([[visit, visitor]])),
  });
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
