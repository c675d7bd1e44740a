/**
 * Every call of the shop: its method and path. They stand apart from the schemas so that a page which only
 * reads brings no schema to the browser. `:name` is a path parameter. Paths count from `/api`, but for the
 * image host's, which has an address of its own.
 */
export const paths = {
  saveUser: { method: 'PUT', path: '/user/:email' },
  isAdmin: { method: 'GET', path: '/admin/:email' },
  listUsers: { method: 'GET', path: '/user' },
  makeAdmin: { method: 'PUT', path: '/user/admin/:email' },
  listProducts: { method: 'GET', path: '/products' },
  getProduct: { method: 'GET', path: '/products/:id' },
  addProduct: { method: 'POST', path: '/product' },
  deleteProduct: { method: 'DELETE', path: '/products/:id' },
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
  createPaymentIntent: { method: 'POST', path: '/create-payment-intent' },
  listAudit: { method: 'GET', path: '/audit' },
  getHealth: { method: 'GET', path: '/health' },
  listUnknownPayments: { method: 'GET', path: '/unknown-payments' },
  receiveStripeEvent: { method: 'POST', path: '/webhooks/stripe' },
  uploadImage: { method: 'POST', path: '/1/upload' },
} as const;

export type CallName = keyof typeof paths;

/** The one name of the place that all calls but the image host's stand under. */
export const apiBase = '/api';
