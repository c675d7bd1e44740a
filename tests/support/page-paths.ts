import type { RouteObject } from 'react-router';

/** Path patterns of all pages in a route tree, such as `/purchase/:productId`. */
export function listPagePaths(routes: RouteObject[], base = ''): string[] {
  return routes.flatMap(({ path = '', index, children }) => {
    const full = path.startsWith('/') ? path : path === '' ? base : `${base}/${path}`.replace('//', '/');
    return children && !index
      ? listPagePaths(children, full === '/' ? '' : full)
      : [full === '' ? '/' : full];
  });
}
