import { contract } from '../../../contract/contract.ts';
import { apiBase } from '../../../contract/paths.ts';
import type { RouteName } from '../../http/visit.ts';
import { authBase, mountedCalls } from '../../identity/mounted-calls.ts';

/** `/orders/:id` becomes /^\/orders\/[^/]+\/*$/, which matches what the router matches. */
const toPattern = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/*$`, 'i');
const toRoute = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const calls: { method: string; pattern: RegExp; name: RouteName }[] = Object.entries(contract).map(
  ([call, { method, path }]) => {
    const whole = call === 'uploadImage' ? path : apiBase + path;
    return { method, pattern: toPattern(whole), name: { call, route: toRoute(whole) } };
  },
);

const itself = (call: string, route?: string): RouteName => ({ call, route });

/** Calls with a single path. */
const fixed = new Map<string, RouteName>([
  ...['/healthz', '/readyz', '/metrics'].map((path): [string, RouteName] => [
    path,
    itself(path.slice(1), path),
  ]),
  ...['/robots.txt', '/sitemap.xml', '/favicon.ico'].map((path): [string, RouteName] => [
    path,
    itself('file', path),
  ]),
  [`${apiBase}/openapi.json`, itself('openapi', `${apiBase}/openapi.json`)],
  [`${apiBase}/docs`, itself('api-docs', `${apiBase}/docs`)],
  ...[...mountedCalls.keys()].map((name): [string, RouteName] => [
    authBase + name,
    itself(`identity${name}`, authBase + name),
  ]),
]);

/** Calls by path prefix; the first match wins. */
const shared: [string, RouteName][] = [
  [`${authBase}/`, itself('identity')],
  [`${apiBase}/`, itself('unknown-call')],
  ['/images/', itself('image', '/images/{name}')],
  ['/static/', itself('file', '/static/{name}')],
  ['/sandbox/', itself('sandbox')],
];

const notFound = itself('page/not-found');

/** Names requests. `paths` has each page's path by its id (`dashboard/payment`: `/dashboard/payment/:id`). */
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
    const routed = method === 'HEAD' ? 'GET' : method;
    return (
      fixed.get(path) ??
      calls.find((call) => call.method === routed && call.pattern.test(path))?.name ??
      shared.find(([prefix]) => path.startsWith(prefix))?.[1] ??
      namePage(path)
    );
  };
}
