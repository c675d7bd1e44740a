import { get } from './paths.ts';

/** Method and path of the calls that `/products` makes, besides those of `paths.ts`. */
export const cataloguePaths = {
  getProductFilters: get('/products/filters'),
  // An admin may search for the number of an order.
  listAllOrders: get('/order'),
} as const;
