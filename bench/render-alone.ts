import type { Viewer } from '../contract/pages.ts';
import { createClient } from '../web/client/api/client.ts';
import { renderBody, runRoutes } from '../web/document/render-body.tsx';
import type { ShopData } from '../web/shop.tsx';

/** Runs the page's loaders once and returns a function that only renders the page with `renderToString`. */
export async function prepare(options: {
  url: string;
  viewer: Viewer;
  shop: ShopData;
  fetch: (request: Request) => Promise<Response>;
}): Promise<() => string> {
  const { url, viewer, shop, fetch } = options;
  const { settings } = shop;
  const client = createClient({ base: settings.origin + settings.apiBase, fetch });
  const result = await runRoutes(new Request(url), { client, viewer, settings });
  if (result instanceof Response) throw new Error(`${url} redirects to ${result.headers.get('location')}.`);
  return () => renderBody(result, shop, { title: '', description: '' });
}
