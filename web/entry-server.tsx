import { renderToString } from 'react-dom/server';
import {
  createStaticHandler,
  createStaticRouter,
  RouterContextProvider,
  type StaticHandlerContext,
  StaticRouterProvider,
} from 'react-router';
import type { PageRequest, RenderedPage } from '../contract/pages.ts';
import { CallFailed } from './client.ts';
import { HeadContext } from './components/page-head.tsx';
import { createDirectClient } from './direct-client.ts';
import { documentOf } from './document.ts';
import { sendErrors } from './page-errors.ts';
import type { loader as loadHome } from './pages/home.tsx';
import { routes } from './routes.tsx';
import { ShopProvider } from './shop.tsx';
import { structuredData } from './structured-data.ts';
import { visit } from './visit.ts';

const handler = createStaticHandler(routes);

/**
 * Makes one page: asks its loaders, in-process and as the visitor, and renders it with React. `renderToString`
 * and no stream, since a stream prints scripts of its own, and none stands in our pages.
 */
export async function render(page: PageRequest): Promise<RenderedPage> {
  const { request, viewer, settings } = page;
  const client = createDirectClient(page.askCall);
  // A form that is sent before its script arrived posts to its page, which is then shown again.
  const asked = new Request(request.url, { headers: request.headers });
  const found = await handler.query(asked, {
    requestContext: new RouterContextProvider(new Map([[visit, { client, viewer, settings }]])),
  });
  if (found instanceof Response)
    return {
      status: found.status,
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

function print(page: PageRequest, found: StaticHandlerContext): RenderedPage {
  const head = { title: '', description: '' };
  const { settings, manifest } = page;
  const shop = { settings, movement: manifest.files['movement.svg'] ?? '' };
  const body = renderToString(
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
  const ids = found.matches.map(({ route }) => route.id);
  const takesCards = found.matches.some(({ route }) => route.handle?.takesCards === true);
  const errors = sendErrors(found.errors);
  const home: Awaited<ReturnType<typeof loadHome>> | undefined = found.loaderData.home;
  const error = Object.values(found.errors ?? {}).find((thrown) => !(thrown instanceof CallFailed));
  return {
    status: errors ? (Object.values(errors)[0]?.status ?? 500) || 500 : statusOf(found, ids),
    html: documentOf({
      page,
      head,
      body,
      data: { shop, loaderData: found.loaderData, errors },
      pages: ids,
      takesCards,
      structured: home && structuredData(settings, home.products, manifest.files['icon-512.png'] ?? ''),
    }),
    takesCards,
    ...(error === undefined ? {} : { error }),
  };
}

function statusOf(found: StaticHandlerContext, ids: string[]): number {
  return ids.includes('not-found') ? 404 : found.statusCode;
}
