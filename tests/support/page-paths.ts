import type { RouteObject } from 'react-router';

/** Every page's address in the table of routes: `/purchase/:productId`. */
export function pathsOf(under: RouteObject[], base = ''): string[] {
  return under.flatMap(({ path = '', index, children }) => {
    const here = path === '' ? base : `${base}/${path}`.replace('//', '/');
    return children && !index ? pathsOf(children, here === '/' ? '' : here) : [here === '' ? '/' : here];
  });
}
