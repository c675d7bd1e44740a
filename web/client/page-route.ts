import type { LazyRouteFunction, RouteObject } from 'react-router';
import { loadChunk } from './chunk.ts';

/** Facts about a page that the server needs before its script is loaded. */
type Handle = { hasToken?: true; takesCards?: true; setting?: 'contact' | 'newsletter' | 'delivers' };

/**
 * The route of a page. `id` is its file under `web/pages/`, which also identifies its scripts in the manifest. A page without
 * a path is the index of its parent.
 */
export const page = (
  id: string,
  path: string | undefined,
  load: LazyRouteFunction<RouteObject>,
  handle?: Handle,
): RouteObject => ({
  id,
  ...(path === undefined ? { index: true } : { path }),
  lazy: () => loadChunk(load()),
  handle,
});
