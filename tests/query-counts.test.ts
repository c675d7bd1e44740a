import { expect, test } from 'vitest';
import type { CallName } from '../contract/paths.ts';
import { prepareRequests } from './support/call-requests.ts';
import { allOffers } from './support/call-samples.ts';
import { engines } from './support/database.ts';
import { startPaidShop } from './support/paid-purchase.ts';
import { confirmIntent, openPurchasePayment, placePurchase } from './support/payments.ts';
import { startShop, type TestShop } from './support/shop.ts';
import { recordStatements, type Statement } from './support/statements.ts';

/**
 * The number of SQL statements per request, without the statements that begin and end transactions. The four numbers are for an
 * anonymous visitor, for the same request again (0 if the response is cached), for a customer, and for an admin. A rejected request
 * still counts the statement that looks up the session.
 */
type Counts = [visitor: number, repeated: number, customer: number, admin: number];

const calls: Record<CallName, Counts> = {
  saveUser: [0, 0, 2, 2],
  isAdmin: [0, 0, 1, 1],
  listUsers: [0, 0, 1, 3],
  makeAdmin: [0, 0, 1, 3],
  removeAdmin: [0, 0, 1, 4],
  signOutUser: [0, 0, 1, 8],
  // Six statements limit wrong and correct passwords. Messages to the user and messages to the address are found by different
  // indexes, so they take two statements.
  deleteUser: [0, 0, 36, 36],
  exportUser: [0, 0, 12, 12],
  listProducts: [1, 0, 2, 2],
  getProductFilters: [1, 0, 2, 2],
  listCategories: [0, 0, 1, 2],
  // The first request after a change also reads the delivery rates.
  getProduct: [2, 0, 2, 2],
  // So it does here, and it caches the list of products bought together, for this call and for the product's page.
  listRelatedProducts: [4, 0, 3, 3],
  requestBackInStock: [0, 0, 4, 4],
  cancelBackInStock: [0, 0, 2, 2],
  addProduct: [0, 0, 1, 6],
  editProduct: [0, 0, 1, 4],
  deleteProduct: [0, 0, 1, 5],
  adjustStock: [0, 0, 1, 6],
  listProductStock: [0, 0, 1, 4],
  listStock: [0, 0, 1, 4],
  importProducts: [0, 0, 1, 13],
  listReviews: [1, 0, 2, 2],
  addReview: [0, 0, 6, 6],
  listProductReviews: [2, 0, 3, 3],
  listReviewableProducts: [0, 0, 2, 2],
  editReview: [0, 0, 4, 4],
  deleteReview: [0, 0, 3, 3],
  hideReview: [0, 0, 1, 5],
  showReview: [0, 0, 1, 2],
  approveReview: [0, 0, 1, 3],
  answerReview: [0, 0, 1, 4],
  reportReview: [0, 0, 5, 5],
  getReportedCount: [0, 0, 1, 2],
  dismissReports: [0, 0, 1, 4],
  listAllOrders: [0, 0, 1, 2],
  sumOrders: [0, 0, 1, 4],
  listOwnOrders: [0, 0, 2, 2],
  getOrder: [0, 0, 3, 4],
  placeOrder: [0, 0, 7, 7],
  getBasket: [0, 0, 3, 3],
  addToBasket: [0, 0, 7, 7],
  setBasketLine: [0, 0, 6, 6],
  removeBasketLine: [0, 0, 2, 2],
  placePurchase: [0, 0, 9, 9],
  getPurchase: [0, 0, 3, 4],
  changeDelivery: [0, 0, 9, 9],
  orderAgain: [0, 0, 8, 8],
  shipOrder: [0, 0, 1, 14],
  shipParcel: [0, 0, 1, 13],
  undoShipment: [0, 0, 1, 12],
  addOrderNote: [0, 0, 1, 6],
  refundOrder: [0, 0, 1, 19],
  refundPurchase: [0, 0, 1, 19],
  settleRefund: [0, 0, 1, 12],
  assignRefund: [0, 0, 1, 9],
  recordReturn: [0, 0, 1, 8],
  markOrderPaid: [0, 0, 13, 13],
  // This includes the deletion of the order's unsent messages.
  deleteOrder: [0, 0, 11, 11],
  createPaymentIntent: [0, 0, 10, 10],
  getPrintout: [0, 0, 5, 5],
  getShopDetails: [0, 0, 1, 2],
  saveShopDetails: [0, 0, 1, 4],
  listAudit: [0, 0, 1, 2],
  getHealth: [0, 0, 1, 4],
  retryMail: [0, 0, 1, 2],
  getOverview: [0, 0, 1, 8],
  sendContactMessage: [7, 7, 10, 10],
  subscribe: [5, 5, 6, 6],
  confirmSubscription: [2, 2, 3, 3],
  listSubscribers: [0, 0, 1, 2],
  listContactMessages: [0, 0, 1, 2],
  markContactMessages: [0, 0, 1, 3],
  getRestoredBackup: [0, 0, 1, 2],
  listUnknownPayments: [0, 0, 1, 3],
  settleUnknownPayment: [0, 0, 1, 4],
  settleLatePayment: [0, 0, 1, 14],
  receiveStripeEvent: [8, 8, 8, 8],
  quoteLines: [2, 2, 3, 3],
  quotePurchase: [0, 0, 4, 4],
  saveCheckout: [0, 0, 18, 19],
  listAddresses: [0, 0, 2, 2],
  addAddress: [0, 0, 4, 4],
  changeAddress: [0, 0, 2, 2],
  removeAddress: [0, 0, 2, 2],
  getShipping: [1, 0, 2, 2],
  saveShipping: [0, 0, 1, 4],
  uploadImage: [0, 0, 5, 4],
};

/** Every page. */
const pages: Record<string, Counts> = {
  '/': [2, 0, 5, 5],
  '/blogs': [0, 0, 3, 3],
  '/products': [2, 0, 5, 5],
  '/myPortfolio': [0, 0, 3, 3],
  '/login': [0, 0, 3, 3],
  '/login/code': [0, 0, 3, 3],
  '/signup': [0, 0, 3, 3],
  '/forgot-password': [0, 0, 3, 3],
  '/reset-password': [0, 0, 3, 3],
  '/account-deleted': [0, 0, 3, 3],
  '/confirm-address': [0, 0, 3, 3],
  '/change-address': [0, 0, 3, 3],
  '/purchase/:productId': [5, 0, 10, 10],
  '/basket': [0, 0, 7, 7],
  '/dashboard': [0, 0, 3, 10],
  '/dashboard/account': [0, 0, 3, 3],
  '/dashboard/two-factor': [0, 0, 3, 3],
  '/dashboard/passkeys': [0, 0, 3, 3],
  '/dashboard/delete-account': [0, 0, 5, 5],
  '/dashboard/history': [0, 0, 3, 3],
  '/dashboard/myOrder': [0, 0, 5, 5],
  '/dashboard/orders/:id': [0, 0, 5, 6],
  '/dashboard/payment/:id': [0, 0, 7, 9],
  '/dashboard/review': [0, 0, 5, 5],
  '/dashboard/users': [0, 0, 3, 5],
  '/dashboard/allOrders': [0, 0, 3, 9],
  '/dashboard/addProduct': [0, 0, 3, 4],
  '/dashboard/manageProduct': [0, 0, 3, 5],
  '/dashboard/products/import': [0, 0, 3, 3],
  '/dashboard/products/count': [0, 0, 3, 6],
  '/dashboard/products/:id': [0, 0, 3, 5],
  '/dashboard/products/:id/stock': [0, 0, 3, 7],
  '/dashboard/stock': [0, 0, 3, 6],
  '/dashboard/reviews': [0, 0, 3, 5],
  '/dashboard/print/slips': [0, 0, 3, 5],
  '/dashboard/print/picks': [0, 0, 3, 5],
  '/dashboard/print/customs': [0, 0, 3, 5],
  '/dashboard/print/invoices': [0, 0, 5, 5],
  '/dashboard/shop': [0, 0, 3, 4],
  '/dashboard/delivery': [0, 0, 3, 4],
  '/dashboard/messages': [0, 0, 3, 4],
  '/dashboard/audit': [0, 0, 3, 4],
  '/delivery': [1, 1, 4, 4],
  '/contact': [0, 0, 3, 3],
  '/newsletter': [0, 0, 3, 3],
  '/newsletter/confirm': [0, 0, 3, 3],
  '/newsletter/unsubscribe': [0, 0, 3, 3],
  '/back-in-stock/stop': [0, 0, 3, 3],
  '/sign-out': [0, 0, 3, 3],
  '/api/docs': [0, 0, 1, 1],
  '/dashboard/health': [0, 0, 3, 6],
  '/*': [0, 0, 3, 3],
};

test('each page and each call executes as few SQL statements as it needs', async () => {
  await using shop = await startShop({
    settings: allOffers,
    rateLimits: { intentsPerUser: 100, reviewsPerUser: 100 },
  });
  const { users, requests } = await prepareRequests(shop);
  const counts: Record<string, number[]> = {};
  for (const [name, request] of requests) {
    counts[name] = [];
    // The second anonymous request reads the response cache.
    for (const person of [undefined, undefined, users.customer, users.admin])
      counts[name].push((await request(person)).length);
  }
  expect(counts).toEqual({ ...calls, ...pages });
}, 60_000);

test.each(engines)(
  'on %s, a purchase of five lines executes as many statements as one of two lines',
  async (engine) => {
    await using shop = await startShop({ engine });
    await shop.stripe.close();
    expect(await countForLines(shop, 5)).toEqual(await countForLines(shop, 2));
  },
  60_000,
);

test.each(engines)(
  'on %s, an order reads its refunds, and those of payments that did not count towards it, in one statement',
  async (engine) => {
    await using paid = await startPaidShop(engine);
    await paid.refund(paid.first, { amount: 1 });
    const { statementsOf } = await recordStatements(() => paid.read(paid.first));
    const reads = statementsOf(paid.shop.database.db).filter(({ sql }) => sql.includes('from "refund'));
    expect(reads).toHaveLength(1);
  },
  60_000,
);

/** Statements per step. A customer fills a basket with `count` lines, orders, lets the hold end, orders again, pays and gets a refund. */
async function countForLines(shop: TestShop, count: number): Promise<Record<string, number>> {
  const customer = await shop.signUp();
  const [client, admin] = [shop.client(customer), shop.client(await shop.admin())];
  const products = [];
  for (let index = 0; index < count; index++) products.push(await shop.addProduct());
  const counts: Record<string, number> = {};
  async function run<T>(step: string, work: () => Promise<T>): Promise<T> {
    const { result, statementsOf } = await recordStatements(work);
    // Announcements of changes to other processes are not counted, because one statement can announce several changes.
    const isAnnouncement = ({ sql }: Statement) => sql.startsWith('insert into "setting"');
    counts[step] = statementsOf(shop.database.db).filter((statement) => !isAnnouncement(statement)).length;
    return result;
  }

  for (const { _id: id } of products)
    await run('basket line', () => client.call('setBasketLine', { params: { id }, body: { quantity: 1 } }));
  await run('basket', () => client.call('getBasket', {}));
  const lines = products.map((product): [typeof product, number] => [product, 1]);
  const late = await placePurchase(shop, customer, lines);
  const body = {
    lines: lines.map(([{ _id }]) => ({ orderId: _id, orderQuantity: 1 })),
    price: late.price,
  };
  const other = await run('order', () => client.call('placePurchase', { body }));
  await run('my orders', () => client.call('listOwnOrders', { query: { user: customer.email } }));
  await run('delete', () => client.call('deleteOrder', { params: { id: other.orders[0] ?? '' } }));
  await shop.database.db.updateTable('purchase').set({ hold_until: 1 }).where('status', '=', '').execute();
  await shop.doPeriodicWork();
  await run('order again', () => client.call('orderAgain', { params: { id: late._id } }));
  const purchase = await placePurchase(shop, customer, lines);
  const { id } = await run('open the payment', () => openPurchasePayment(shop, customer, purchase));
  await confirmIntent(shop, { id });
  const params = { id: purchase.orders[0]?._id ?? '' };
  await run('pay', () => client.call('markOrderPaid', { params, body: { transactionId: id } }));
  await run('purchase', () => client.call('getPurchase', { params: { id: purchase._id } }));
  const { version } = await admin.call('getOrder', { params });
  const refund = { version, amount: 10, reason: 'other', quantity: 1, restock: 1 } as const;
  await run('refund', () => admin.call('refundOrder', { params, body: refund }));
  await run('printout', () => client.call('getPrintout', { query: { orders: purchase.number } }));
  return counts;
}
