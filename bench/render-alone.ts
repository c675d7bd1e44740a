import type { Viewer } from '../contract/pages.ts';
import { createClient } from '../web/client/client.ts';
import { renderBody, runRoutes } from '../web/render-body.tsx';
import type { ShopData } from '../web/shop.tsx';

/**
 * Gives a function that renders the page at `address` by `renderToString` and does nothing else: who is looking
 * and what its loaders ask for are answered once, before.
 */
export async function prepare(given: {
  address: string;
  viewer: Viewer;
  shop: ShopData;
  fetch: (request: Request) => Promise<Response>;
}): Promise<() => string> {
  const { address, viewer, shop, fetch } = given;
  const { settings } = shop;
  const client = createClient({ base: settings.origin + settings.apiBase, fetch });
  const found = await runRoutes(new Request(address), { client, viewer, settings });
  if (found instanceof Response) throw new Error(`${address} leads to ${found.headers.get('location')}.`);
  return () => renderBody(found, shop, { title: '', description: '' });
}
