import { contract } from '../../../contract/contract.ts';
import { apiBase } from '../../../contract/paths.ts';
import type { RouteName } from '../../http/request-context.ts';
import { authBase, mountedCalls } from '../../identity/routes.ts';

/** `/orders/:id` becomes /^\/orders\/[^/]+\/*$/, which matches the same paths as the router. */
const toPattern = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/*$`, 'i');
const toRoute = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const callPatterns: { method: string; pattern: RegExp; name: RouteName }[] = Object.entries(contract).map(
  ([call, { method, path }]) => {
    const fullPath = call === 'uploadImage' ? path : apiBase + path;
    return { method, pattern: toPattern(fullPath), name: { call, route: toRoute(fullPath) } };
  },
);

const toName = (call: string, route?: string): RouteName => ({ call, route });

const namesByPath = new Map<string, RouteName>([
  ...['/healthz', '/readyz', '/metrics'].map((path): [string, RouteName] => [
    path,
    toName(path.slice(1), path),
  ]),
  ...['/robots.txt', '/sitemap.xml', '/favicon.ico'].map((path): [string, RouteName] => [
    path,
    toName('file', path),
  ]),
  [`${apiBase}/openapi.json`, toName('openapi', `${apiBase}/openapi.json`)],
  [`${apiBase}/docs`, toName('api-docs', `${apiBase}/docs`)],
  ...[...mountedCalls.keys()].map((name): [string, RouteName] => [
    authBase + name,
    toName(`identity${name}`, authBase + name),
  ]),
]);

/** The first match wins. */
const namesByPrefix: [string, RouteName][] = [
  [`${authBase}/`, toName('identity')],
  [`${apiBase}/`, toName('unknown-call')],
  ['/images/', toName('image', '/images/{name}')],
  ['/static/', toName('file', '/static/{name}')],
  ['/sandbox/', toName('sandbox')],
];

const notFound = toName('page/not-found');

/** Names requests for metrics and traces. `paths` has each page's path by id (`dashboard/payment`: `/dashboard/payment/:id`). */
export function createRouteNamer(paths: Record<string, string>) {
  const pages = Object.entries(paths).map(([id, page]) => ({
    pattern: toPattern(page === '/' ? '' : page),
    name: { call: `page/${id}`, route: toRoute(page) },
  }));
  const namePage = (path: string): RouteName =>
    pages.find(({ pattern }) => pattern.test(path))?.name ?? notFound;

  /** `address` is the request target: path and query. */
  return (method: string, address: string): RouteName => {
    const path = address.split('?', 1)[0] ?? '';
    const routedMethod = method === 'HEAD' ? 'GET' : method;
    return (
      namesByPath.get(path) ??
      callPatterns.find((call) => call.method === routedMethod && call.pattern.test(path))?.name ??
      namesByPrefix.find(([prefix]) => path.startsWith(prefix))?.[1] ??
      namePage(path)
    );
  };
}
