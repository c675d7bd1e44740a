import type { Call } from '../../contract/call.ts';
import { contract } from '../../contract/contract.ts';
import { pageParameters } from '../../contract/page-parameters.ts';
import type { Config } from '../config/config.ts';
import { maxUrlLength } from './origin.ts';

const parametersByName = new Map<string, readonly string[]>([
  ...Object.entries<Call>(contract).map(([call, { query }]): [string, string[]] => [
    call,
    Object.keys(query?.shape ?? {}),
  ]),
  ...Object.entries(pageParameters).map(([id, names]): [string, readonly string[]] => [`page/${id}`, names]),
  ['openapi', []],
]);

const cataloguePages = new Set(['page/products', 'page/purchase']);

/**
 * Removes the query parameters that the call or page `name` does not read, and puts the others in a fixed order. `target` is a
 * path and query. Keeps the first value of a repeated parameter, which is the one that calls and pages read.
 */
export function keepKnownParameters(target: string, name: string, { openCatalogue }: Config): string {
  // If the catalogue is closed, visitors are redirected to sign-in, and then return to the whole URL.
  if (!openCatalogue && cataloguePages.has(name)) return target;
  const start = target.indexOf('?');
  const known = parametersByName.get(name);
  if (start < 0 || !known || target.length > maxUrlLength) return target;
  const query = new URLSearchParams(target.slice(start));
  const kept = new URLSearchParams();
  for (const parameter of known) {
    const value = query.get(parameter);
    if (value !== null) kept.set(parameter, value);
  }
  const path = target.slice(0, start);
  return kept.size > 0 ? `${path}?${kept}` : path;
}
