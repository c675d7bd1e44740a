import type { ContactCallName } from './accounts/contact.ts';
import type { cataloguePaths } from './catalogue-paths.ts';
import type { dashboardPaths } from './dashboard-paths.ts';
import type { productPagePaths } from './product-page-paths.ts';

export const get = <Path extends string>(path: Path) => ({ method: 'GET', path }) as const;
export const post = <Path extends string>(path: Path) => ({ method: 'POST', path }) as const;
export const put = <Path extends string>(path: Path) => ({ method: 'PUT', path }) as const;
export const patch = <Path extends string>(path: Path) => ({ method: 'PATCH', path }) as const;
export const remove = <Path extends string>(path: Path) => ({ method: 'DELETE', path }) as const;
/** Pages always send the bearer token with this call, as specified. Other calls use the session cookie. */
export const bearer = <Path extends object>(path: Path) => ({ ...path, bearer: true }) as const;

/**
 * Method and path of every call that the storefront makes. The schemas are in other files, so that a page without a form
 * loads no Zod. So are the paths that only the dashboard, a product's page or the catalogue needs: the home page does not load
 * them. `:name` is a path parameter. Paths are relative to `/api`, except the image host's, which is at the root.
 */
export const paths = {
  saveUser: put('/user/:email'),
  listProducts: get('/products'),
  getProduct: get('/products/:id'),
  listReviews: get('/reviews'),
  placeOrder: post('/orders'),
  getBasket: get('/basket'),
  setBasketLine: put('/basket/:id'),
  removeBasketLine: remove('/basket/:id'),
  placePurchase: post('/purchases'),
  uploadImage: post('/1/upload'),
} as const;

/** A call that pages make. */
export type PageCallName =
  | keyof typeof paths
  | keyof typeof cataloguePaths
  | keyof typeof dashboardPaths
  | keyof typeof productPagePaths;

/** The webhook and the contact calls have their paths beside their schemas, because no script of a page makes them. */
export type CallName = PageCallName | ContactCallName | 'receiveStripeEvent';

/** The base path of all calls except the image host's. */
export const apiBase = '/api';
