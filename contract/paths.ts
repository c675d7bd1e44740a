/**
 * Method and path of every call. Kept apart from the schemas so that a page without a form loads no Zod. `:name` is a
 * path parameter. Paths are relative to `/api`, except the image host's, which is at the root.
 */
export const paths = {
  saveUser: { method: 'PUT', path: '/user/:email' },
  isAdmin: { method: 'GET', path: '/admin/:email' },
  listUsers: { method: 'GET', path: '/user' },
  makeAdmin: { method: 'PUT', path: '/user/admin/:email' },
  removeAdmin: { method: 'DELETE', path: '/user/admin/:email' },
  signOutUser: { method: 'POST', path: '/user/:email/sign-out' },
  listProducts: { method: 'GET', path: '/products' },
  listCategories: { method: 'GET', path: '/categories' },
  getProduct: { method: 'GET', path: '/products/:id' },
  addProduct: { method: 'POST', path: '/product' },
  editProduct: { method: 'PATCH', path: '/products/:id' },
  importProducts: { method: 'POST', path: '/products/import' },
  deleteProduct: { method: 'DELETE', path: '/products/:id' },
  adjustStock: { method: 'POST', path: '/products/:id/stock' },
  listProductStock: { method: 'GET', path: '/products/:id/stock' },
  listStock: { method: 'GET', path: '/stock' },
  listReviews: { method: 'GET', path: '/reviews' },
  addReview: { method: 'POST', path: '/review' },
  hideReview: { method: 'PUT', path: '/reviews/:id/hidden' },
  showReview: { method: 'DELETE', path: '/reviews/:id/hidden' },
  listAllOrders: { method: 'GET', path: '/order' },
  listOwnOrders: { method: 'GET', path: '/orders' },
  getOrder: { method: 'GET', path: '/orders/:id' },
  placeOrder: { method: 'POST', path: '/orders' },
  shipOrder: { method: 'PUT', path: '/orders/:id' },
  markOrderPaid: { method: 'PATCH', path: '/orders/:id' },
  deleteOrder: { method: 'DELETE', path: '/orders/:id' },
  addOrderNote: { method: 'POST', path: '/orders/:id/notes' },
  refundOrder: { method: 'POST', path: '/orders/:id/refunds' },
  getBasket: { method: 'GET', path: '/basket' },
  setBasketLine: { method: 'PUT', path: '/basket/:id' },
  removeBasketLine: { method: 'DELETE', path: '/basket/:id' },
  placePurchase: { method: 'POST', path: '/purchases' },
  getPurchase: { method: 'GET', path: '/purchases/:id' },
  createPaymentIntent: { method: 'POST', path: '/create-payment-intent' },
  getPrintout: { method: 'GET', path: '/printout' },
  getShopDetails: { method: 'GET', path: '/shop' },
  saveShopDetails: { method: 'PUT', path: '/shop' },
  listAudit: { method: 'GET', path: '/audit' },
  getHealth: { method: 'GET', path: '/health' },
  getOverview: { method: 'GET', path: '/overview' },
  listUnknownPayments: { method: 'GET', path: '/unknown-payments' },
  receiveStripeEvent: { method: 'POST', path: '/webhooks/stripe' },
  uploadImage: { method: 'POST', path: '/1/upload' },
} as const;

export type CallName = keyof typeof paths;

/** The base path of all calls except the image host's. */
export const apiBase = '/api';
