import { renderToString } from 'react-dom/server';
import {
  createStaticHandler,
  createStaticRouter,
  RouterContextProvider,
  StaticRouterProvider,
} from 'react-router';
import type { Manifest, Viewer, WebSettings } from '../contract/pages.ts';
import { createClient } from '../web/client.ts';
import { HeadContext } from '../web/components/page-head.tsx';
import { routes } from '../web/routes.tsx';
import { ShopProvider } from '../web/shop.tsx';
import { visit } from '../web/visit.ts';

/**
 * Gives a function that renders the page at `address` by `renderToString` and does nothing else: who is looking
 * and what its loaders ask for are answered once, before.
 */
export async function prepare(given: {
  address: string;
  viewer: Viewer;
  settings: WebSettings;
  manifest: Manifest;
  fetch: (request: Request) => Promise<Response>;
}): Promise<() => string> {
  const { address, viewer, settings, manifest } = given;
  const handler = createStaticHandler(routes);
  const client = createClient({ base: settings.origin + settings.apiBase, fetch: given.fetch });
  const found = await handler.query(new Request(address), {
    requestContext: new RouterContextProvider(new Map([[visit, { client, viewer, settings }]])),
  });
  if (found instanceof Response) throw new Error(`${address} leads to ${found.headers.get('location')}.`);
  const shop = { settings, movement: manifest.files['movement.svg'] ?? '' };
  return () =>
    renderToString(
      <HeadContext value={{ title: '', description: '' }}>
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
