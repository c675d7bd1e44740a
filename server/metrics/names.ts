import { contract } from '../../contract/contract.ts';
import { apiBase } from '../../contract/paths.ts';
import { authBase, mounted } from '../identity/form.ts';

/**
 * What a request asks for: a word of ours, whatever its address says, so that nobody outside can make new ones; and
 * the pattern of its address (`/api/products/{id}`), where it has one.
 */
export type Name = { call: string; route: string | undefined };

/** `/orders/:id` to /^\/orders\/[^/]+\/*$/, which takes what the router takes. */
const toPattern = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/*$`, 'i');
const toRoute = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const calls: { method: string; pattern: RegExp; name: Name }[] = Object.entries(contract).map(
  ([call, { method, path }]) => {
    const whole = call === 'uploadImage' ? path : apiBase + path;
    return { method, pattern: toPattern(whole), name: { call, route: toRoute(whole) } };
  },
);

const itself = (call: string, route?: string): Name => ({ call, route });

/** Those of one address each. */
const fixed = new Map<string, Name>([
  ...['/healthz', '/readyz', '/metrics'].map((path): [string, Name] => [path, itself(path.slice(1), path)]),
  ...['/robots.txt', '/sitemap.xml', '/favicon.ico'].map((path): [string, Name] => [
    path,
    itself('file', path),
  ]),
  [`${apiBase}/openapi.json`, itself('openapi', `${apiBase}/openapi.json`)],
  [`${apiBase}/docs`, itself('api-docs', `${apiBase}/docs`)],
  ...[...mounted.keys()].map((name): [string, Name] => [
    authBase + name,
    itself(`identity${name}`, authBase + name),
  ]),
]);

/** Those that share the first part of their addresses; the first that fits. */
const shared: [string, Name][] = [
  [`${authBase}/`, itself('identity')],
  [`${apiBase}/`, itself('unknown-call')],
  ['/images/', itself('image', '/images/{name}')],
  ['/static/', itself('file', '/static/{name}')],
  ['/sandbox/', itself('sandbox')],
];

const notFound = itself('page/not-found');

/** Names requests. `paths` gives the pages' addresses by their ids (`dashboard/payment`: `/dashboard/payment/:id`). */
export function createNames(paths: Record<string, string>) {
  const pages = Object.entries(paths).map(([id, page]) => ({
    pattern: toPattern(page === '/' ? '' : page),
    name: { call: `page/${id}`, route: toRoute(page) },
  }));
  const namePage = (path: string): Name => pages.find(({ pattern }) => pattern.test(path))?.name ?? notFound;

  /** `address` as the request line has it: path and query. */
  return (method: string, address: string): Name => {
    const path = address.split('?', 1)[0] ?? '';
    const asked = method === 'HEAD' ? 'GET' : method;
    return (
      fixed.get(path) ??
      calls.find((call) => call.method === asked && call.pattern.test(path))?.name ??
      shared.find(([prefix]) => path.startsWith(prefix))?.[1] ??
      namePage(path)
    );
  };
}
