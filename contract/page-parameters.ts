/**
 * The query parameters that each public page reads, by route id (`web/routes.tsx`). For visitors without a session, the server
 * removes all other parameters before it renders the page, so that links with tracking parameters share one cached page. A page that
 * is not listed keeps its whole query.
 */
export const pageParameters: Readonly<Record<string, readonly string[]>> = {
  home: ['reviews', 'review', 'reason'],
  blogs: [],
  products: ['q', 'category', 'inStock', 'minPrice', 'maxPrice', 'sort', 'after', 'from', 'done'],
  purchase: ['reviews', 'after', 'continue', 'orderQuantity', 'done', 'country'],
  login: ['from', 'reason', 'error', 'done'],
  signup: ['from'],
  'login-code': ['from', 'use'],
  'forgot-password': ['from', 'done'],
  delivery: [],
  contact: ['done'],
  newsletter: ['done'],
  'account-deleted': [],
};
