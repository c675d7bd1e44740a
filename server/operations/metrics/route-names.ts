import { TrieRouter } from 'hono/router/trie-router';
import { contract } from '../../../contract/contract.ts';
import { apiBase } from '../../../contract/paths.ts';
import { maxUrlLength } from '../../http/origin.ts';
import type { RouteName } from '../../http/request-context.ts';
import { authBase, mountedCalls } from '../../identity/calls.ts';

/** Names requests for metrics and traces. `pages` has each page's path by id (`dashboard/payment`: `/dashboard/payment/:id`). */
export function createRouteNamer(pages: Record<string, string>) {
  const router = new TrieRouter<RouteName>();
  const addPrefix = (path: string, call: string, route?: string) =>
    router.add('ALL', `${path}/*`, { call, route });
  const add = (path: string, call: string, method = 'ALL') =>
    router.add(method, path.toLowerCase(), { call, route: path.replace(/:(\w+)/g, '{$1}') });

  // The first match wins.
  for (const path of ['/healthz', '/readyz', '/metrics']) add(path, path.slice(1));
  for (const path of ['/robots.txt', '/sitemap.xml', '/favicon.ico', '/.well-known/security.txt'])
    add(path, 'file');
  add('/.well-known/change-password', 'change-password');
  addPrefix('/sitemap', 'file', '/sitemap/{name}');
  add(`${apiBase}/openapi.json`, 'openapi');
  add(`${apiBase}/docs`, 'api-docs');
  for (const name of mountedCalls.keys()) add(authBase + name, `identity${name}`);
  // Fixed paths first: `/products/filters` also matches `/products/:id`.
  const isFixed = (path: string) => !path.includes(':');
  const calls = Object.entries(contract).sort(
    ([, a], [, b]) => Number(isFixed(b.path)) - Number(isFixed(a.path)),
  );
  for (const [call, { method, path }] of calls)
    add(call === 'uploadImage' ? path : apiBase + path, call, method);
  addPrefix(authBase, 'identity');
  addPrefix(apiBase, 'unknown-call');
  addPrefix('/images', 'image', '/images/{name}');
  addPrefix('/static', 'file', '/static/{name}');
  addPrefix('/sandbox', 'sandbox');
  for (const [id, path] of Object.entries(pages)) add(path, `page/${id}`);
  const notFound: RouteName = { call: 'page/not-found', route: undefined };

  /** `target` is the request target: path and query. */
  return (method: string, target: string): RouteName => {
    if (target.length > maxUrlLength) return notFound;
    // Pages match in any case, and with slashes at the end.
    const path = (target.split('?', 1)[0] ?? '').toLowerCase().replace(/(?<!\/)\/+$/, '') || '/';
    return router.match(method === 'HEAD' ? 'GET' : method, path)[0][0]?.[0] ?? notFound;
  };
}
