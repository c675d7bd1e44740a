import { get } from './paths.ts';

/** Method and path of the calls that `/products` makes, besides those of `paths.ts`. */
export const cataloguePaths = { getProductFilters: get('/products/filters') } as const;
