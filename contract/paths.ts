import type { ContactCallName } from './contact.ts';

const get = <Path extends string>(path: Path) => ({ method: 'GET', path }) as const;
const post = <Path extends string>(path: Path) => ({ method: 'POST', path }) as const;
const put = <Path extends string>(path: Path) => ({ method: 'PUT', path }) as const;
const patch = <Path extends string>(path: Path) => ({ method: 'PATCH', path }) as const;
const remove = <Path extends string>(path: Path) => ({ method: 'DELETE', path }) as const;

/**
 * Method and path of every call that pages make. Kept apart from the schemas so that a page without a form loads no Zod. `:name` is a
 * path parameter. Paths are relative to `/api`, except the image host's, which is at the root.
 */
export const paths = {
  saveUser: put('/user/:email'),
  isAdmin: get('/admin/:email'),
  listUsers: get('/user'),
  makeAdmin: put('/user/admin/:email'),
  removeAdmin: remove('/user/admin/:email'),
  signOutUser: post('/user/:email/sign-out'),
  exportUser: get('/user/:email/export'),
  listProducts: get('/products'),
  listCategories: get('/categories'),
  getProduct: get('/products/:id'),
  addProduct: post('/product'),
  editProduct: patch('/products/:id'),
  importProducts: post('/products/import'),
  deleteProduct: remove('/products/:id'),
  adjustStock: post('/products/:id/stock'),
  listProductStock: get('/products/:id/stock'),
  listStock: get('/stock'),
  listReviews: get('/reviews'),
  addReview: post('/review'),
  hideReview: put('/reviews/:id/hidden'),
  showReview: remove('/reviews/:id/hidden'),
  listAllOrders: get('/order'),
  listOwnOrders: get('/orders'),
  getOrder: get('/orders/:id'),
  placeOrder: post('/orders'),
  shipOrder: put('/orders/:id'),
  markOrderPaid: patch('/orders/:id'),
  deleteOrder: remove('/orders/:id'),
  addOrderNote: post('/orders/:id/notes'),
  refundOrder: post('/orders/:id/refunds'),
  getBasket: get('/basket'),
  setBasketLine: put('/basket/:id'),
  removeBasketLine: remove('/basket/:id'),
  placePurchase: post('/purchases'),
  getPurchase: get('/purchases/:id'),
  createPaymentIntent: post('/create-payment-intent'),
  getPrintout: get('/printout'),
  getShopDetails: get('/shop'),
  saveShopDetails: put('/shop'),
  listAudit: get('/audit'),
  getHealth: get('/health'),
  retryMail: post('/health/mail/retry'),
  getOverview: get('/overview'),
  listUnknownPayments: get('/unknown-payments'),
  uploadImage: post('/1/upload'),
} as const;

/** A call that pages make. */
export type PageCallName = keyof typeof paths;

/** The webhook and the contact calls have their paths beside their schemas, because no script of a page makes them. */
export type CallName = PageCallName | ContactCallName | 'receiveStripeEvent';

/** The base path of all calls except the image host's. */
export const apiBase = '/api';
