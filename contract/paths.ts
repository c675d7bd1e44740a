const get = <Path extends string>(path: Path) => ({ method: 'GET', path }) as const;
const post = <Path extends string>(path: Path) => ({ method: 'POST', path }) as const;
const put = <Path extends string>(path: Path) => ({ method: 'PUT', path }) as const;
const patch = <Path extends string>(path: Path) => ({ method: 'PATCH', path }) as const;
const remove = <Path extends string>(path: Path) => ({ method: 'DELETE', path }) as const;
/** Pages always send the bearer token with this call, as specified. Other calls use the session cookie. */
const bearer = <Path extends object>(path: Path) => ({ ...path, bearer: true }) as const;

/**
 * Method and path of every call except sign-in's, which are Better Auth's own (`identity/`). `:name` is a path parameter. Paths
 * are relative to `/api`, except the image host's, which is at the root. The schemas are in other files, so that a page without
 * a form loads no Zod. There is one table for each group of pages, and the build makes a module of each (`vite.config.ts`): the
 * home page loads only `storefrontPaths`.
 */
export const storefrontPaths = {
  saveUser: put('/user/:email'),
  listProducts: get('/products'),
  getProduct: get('/products/:id'),
  listReviews: get('/reviews'),
  placeOrder: post('/orders'),
  getBasket: get('/basket'),
  setBasketLine: put('/basket/:id'),
  removeBasketLine: remove('/basket/:id'),
  placePurchase: post('/purchases'),
  // The order forms start with the last order's address.
  listOwnOrders: bearer(get('/orders')),
  uploadImage: post('/1/upload'),
} as const;

/** The calls that `/products` makes besides the storefront's. */
export const cataloguePaths = {
  getProductFilters: get('/products/filters'),
  // An admin may search for the number of an order.
  listAllOrders: get('/order'),
} as const;

/** The calls of a product's page, of the basket, of Delivery costs and of Add Review that are in no other table. */
export const productPagePaths = {
  listRelatedProducts: get('/products/:id/related'),
  // The basket and the page of delivery costs make it, too.
  getShipping: get('/shipping'),
  listProductReviews: get('/products/:id/reviews'),
  editReview: patch('/reviews/:id'),
  deleteReview: remove('/reviews/:id'),
  reportReview: post('/reviews/:id/reports'),
  addToBasket: post('/basket/:id'),
  requestBackInStock: put('/products/:id/backInStock'),
  cancelBackInStock: remove('/products/:id/backInStock'),
} as const;

/** The calls that only the dashboard and other rarely visited pages make. */
export const dashboardPaths = {
  isAdmin: bearer(get('/admin/:email')),
  listUsers: bearer(get('/user')),
  makeAdmin: bearer(put('/user/admin/:email')),
  removeAdmin: remove('/user/admin/:email'),
  signOutUser: post('/user/:email/sign-out'),
  deleteUser: remove('/user/:email'),
  exportUser: get('/user/:email/export'),
  listCategories: get('/categories'),
  addProduct: bearer(post('/product')),
  editProduct: patch('/products/:id'),
  importProducts: post('/products/import'),
  deleteProduct: bearer(remove('/products/:id')),
  adjustStock: post('/products/:id/stock'),
  listProductStock: get('/products/:id/stock'),
  listStock: get('/stock'),
  addReview: bearer(post('/review')),
  listReviewableProducts: get('/reviews/products'),
  getReportedCount: get('/reviews/reported'),
  hideReview: bearer(put('/reviews/:id/hidden')),
  showReview: bearer(remove('/reviews/:id/hidden')),
  approveReview: put('/reviews/:id/approval'),
  answerReview: put('/reviews/:id/answer'),
  dismissReports: remove('/reviews/:id/reports'),
  sumOrders: get('/order/sums'),
  getOrder: bearer(get('/orders/:id')),
  shipOrder: bearer(put('/orders/:id')),
  markOrderPaid: bearer(patch('/orders/:id')),
  deleteOrder: remove('/orders/:id'),
  shipParcel: post('/shipments'),
  undoShipment: remove('/shipments/:id'),
  addOrderNote: post('/orders/:id/notes'),
  refundOrder: post('/orders/:id/refunds'),
  refundPurchase: post('/purchases/:id/refunds'),
  assignRefund: put('/refunds/:id/lines'),
  recordReturn: post('/orders/:id/returns'),
  settleRefund: post('/refunds/:id/settlement'),
  getPurchase: get('/purchases/:id'),
  orderAgain: post('/purchases/:id/again'),
  changeDelivery: put('/purchases/:id/address'),
  quoteLines: post('/quote'),
  quotePurchase: get('/purchases/:id/quote'),
  saveCheckout: put('/purchases/:id/checkout'),
  listAddresses: get('/addresses'),
  addAddress: post('/addresses'),
  changeAddress: put('/addresses/:id'),
  removeAddress: remove('/addresses/:id'),
  saveShipping: put('/shipping'),
  createPaymentIntent: bearer(post('/create-payment-intent')),
  getPrintout: get('/printout'),
  getShopDetails: get('/shop'),
  saveShopDetails: put('/shop'),
  sendContactMessage: post('/contact'),
  subscribe: post('/newsletter'),
  confirmSubscription: post('/newsletter/confirm'),
  listContactMessages: get('/contact'),
  markContactMessages: put('/contact/answered'),
  listAudit: get('/audit'),
  getHealth: get('/health'),
  retryMail: post('/health/mail/retry'),
  getOverview: get('/overview'),
  getRestoredBackup: get('/restored-backup'),
  listUnknownPayments: get('/unknown-payments'),
  settleUnknownPayment: post('/unknown-payments/:id/settlement'),
  settleLatePayment: post('/payments/:id/settlement'),
} as const;

/** The calls that no page makes. */
export const serverPaths = {
  receiveStripeEvent: post('/webhooks/stripe'),
  listSubscribers: get('/newsletter'),
} as const;

/** Every call, for the contract. A page imports only its own tables. */
export const paths = {
  ...storefrontPaths,
  ...cataloguePaths,
  ...productPagePaths,
  ...dashboardPaths,
  ...serverPaths,
} as const;

export type CallName = keyof typeof paths;

/** A call that pages make. */
export type PageCallName = Exclude<CallName, keyof typeof serverPaths>;

/** The base path of all calls except the image host's. */
export const apiBase = '/api';
