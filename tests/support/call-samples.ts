import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import Stripe from 'stripe';
import type { CallName } from '../../contract/paths.ts';
import { issueToken } from '../../server/identity/recovery/tokens.ts';
import { loseStock } from './late-payment.ts';
import {
  buy,
  confirmIntent,
  failRefund,
  openPayment,
  placeOrder,
  shipParcel,
  unassignRefund,
} from './payments.ts';
import type { SendOptions, TestUser } from './requests.ts';
import type { TestShop } from './shop.ts';

/** The settings that offer every call and every page, and open the catalogue to visitors. */
export const allOffers = { CONTACT_EMAIL: 'owner@mail.example', NEWSLETTER: 'yes', OPEN_CATALOGUE: 'yes' };

/** For each call of the contract, prepares data and returns a request that succeeds for a user. Likewise for pages. */
export async function prepareCalls(shop: TestShop) {
  // Stop the webhooks, because an event could do a call's work before the call.
  await shop.stripe.close();
  const product = await shop.addProduct({ price: 2, a_quantity: 100_000 });
  const stranger = await shop.signUp('Eve');
  const image = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#888' } })
    .png()
    .toBuffer();
  const { _id: id, img } = product;
  let admin: Promise<TestUser> | undefined;
  const getAdmin = () => {
    admin ??= shop.admin();
    return admin;
  };
  const withKey = () => ({ 'idempotency-key': randomUUID() });

  async function placeChargedOrder(person: TestUser) {
    const order = await placeOrder(shop, person, product);
    const intent = await openPayment(shop, person, order);
    await confirmIntent(shop, intent);
    return { order, intent };
  }
  const placeUnpaidOrder = async (person: TestUser) => ({
    params: { id: (await placeOrder(shop, person, product))._id },
  });
  async function addReview(author = stranger): Promise<string> {
    const body = { rating: 1, reviews: 'Buy elsewhere.', img };
    return (await shop.client(author).call('addReview', { body })).insertedId;
  }
  async function addContactMessage(): Promise<string> {
    const id = randomUUID();
    const message = { id, email: stranger.email, text: 'Hello', created_at: 0 };
    await shop.database.db.insertInto('contact_message').values(message).execute();
    return id;
  }
  const home = { name: 'Tom', line1: '1 Mill Lane', city: 'Leeds', postcode: 'LS1 4AP', country: 'GB' };
  const emptyAddressBooks = () => shop.database.db.deleteFrom('address').execute();
  async function addAddress(person: TestUser) {
    await emptyAddressBooks();
    return (await shop.client(person).call('addAddress', { body: home })).insertedId;
  }
  /** An edit of the delivery costs with this many rates of 3.00. */
  async function makeShipping(rates: number) {
    const { version } = await shop.client(await getAdmin()).call('getShipping', {});
    const rate = { name: 'Post', by: 'flat' as const, price: 3 };
    const zone = { name: 'Home', countries: ['GB'], rates: Array.from({ length: rates }, () => rate) };
    return {
      version,
      shipsFrom: 'GB',
      zones: [zone],
      cutOff: '14:00',
      workingDays: [1, version % 2 ? 2 : 3],
    };
  }
  /** A sold-out product, for which any user may wait. */
  async function prepareWaiting() {
    await shop.database.db.updateTable('user').set({ emailVerified: true }).execute();
    return { params: { id: (await shop.addProduct({ a_quantity: 0 }))._id } };
  }
  const newProduct = { name: 'Broach', description: 'Cuts.', img, price: 1, o_quantity: 1, a_quantity: 1 };

  const calls: Record<CallName, (person: TestUser) => SendOptions | Promise<SendOptions>> = {
    saveUser: ({ email }) => ({
      params: { email },
      body: { address: 'A', phone: '1', education: 'E', linkedIn: 'L' },
    }),
    isAdmin: ({ email }) => ({ params: { email } }),
    listUsers: () => ({}),
    makeAdmin: () => ({ params: { email: stranger.email } }),
    removeAdmin: async () => ({ params: { email: (await shop.admin('Bob')).email } }),
    signOutUser: async () => ({ params: { email: (await shop.signUp('Bob')).email } }),
    // The only sample that is rejected (422), because later calls need the user.
    deleteUser: ({ email }) => ({ params: { email }, body: { password: 'not the password' } }),
    exportUser: ({ email }) => ({ params: { email } }),
    listProducts: () => ({ query: { limit: '12' } }),
    getProductFilters: () => ({ query: { category: 'Pins' } }),
    listCategories: () => ({}),
    getProduct: () => ({ params: { id } }),
    listRelatedProducts: () => ({ params: { id } }),
    requestBackInStock: prepareWaiting,
    cancelBackInStock: async (person) => {
      const waiting = await prepareWaiting();
      await shop.client(person).call('requestBackInStock', waiting);
      return waiting;
    },
    addProduct: ({ email }) => ({
      body: { ...newProduct, email, facts: 'Steel: hardened' },
      headers: withKey(),
    }),
    editProduct: async () => {
      const { _id, version } = await shop.addProduct();
      return { params: { id: _id }, body: { version, name: 'Reamer', archived: false } };
    },
    importProducts: () => ({
      body: [
        'id,name,price,o_quantity,a_quantity,delivery,description',
        `${id},Gauge ${randomUUID()},2,1,0,3,Measures pivots.`,
        ',Broach,2,1,5,,Cuts.',
      ].join('\n'),
      headers: { ...withKey(), 'content-type': 'text/csv' },
    }),
    deleteProduct: async () => ({ params: { id: (await shop.addProduct())._id } }),
    adjustStock: () => ({ params: { id }, body: { change: 1, reason: 'delivery' }, headers: withKey() }),
    listProductStock: async (person) => {
      await placeUnpaidOrder(person);
      return { params: { id } };
    },
    listStock: async (person) => {
      await placeUnpaidOrder(person);
      return {};
    },
    listReviews: () => ({ query: { limit: '12' } }),
    listProductReviews: () => ({ params: { id }, query: { sort: 'best', limit: '12' } }),
    listReviewableProducts: () => ({}),
    editReview: async (person) => ({ params: { id: await addReview(person) }, body: { rating: 4 } }),
    deleteReview: async (person) => ({ params: { id: await addReview(person) } }),
    addReview: () => ({ body: { rating: 5, reviews: 'Good.', img }, headers: withKey() }),
    hideReview: async () => ({
      params: { id: await addReview() },
      body: { version: 1, reason: 'Advertising.' },
    }),
    showReview: async () => ({ params: { id: await addReview() }, query: { version: '1' } }),
    reportReview: async () => ({ params: { id: await addReview() }, body: { reason: 'Advertising.' } }),
    approveReview: async () => ({ params: { id: await addReview() }, body: { version: 1 } }),
    answerReview: async () => ({
      params: { id: await addReview() },
      body: { version: 1, answer: 'Thank you.' },
    }),
    getReportedCount: () => ({}),
    dismissReports: async (person) => {
      const params = { id: await addReview() };
      await shop.client(person).call('reportReview', { params, body: { reason: 'Advertising.' } });
      return { params, query: { until: new Date().toISOString() } };
    },
    listAllOrders: () => ({}),
    sumOrders: () => ({}),
    listOwnOrders: ({ email }) => ({ query: { user: email } }),
    getOrder: placeUnpaidOrder,
    placeOrder: ({ email }) => ({
      body: { orderId: id, orderQuantity: 1, price: 2, user: email },
      headers: withKey(),
    }),
    getBasket: async (person) => {
      await shop.client(person).call('setBasketLine', { params: { id }, body: { quantity: 1 } });
      return {};
    },
    addToBasket: () => ({ params: { id }, body: { quantity: 1 }, headers: withKey() }),
    setBasketLine: () => ({ params: { id }, body: { quantity: 1 } }),
    removeBasketLine: async (person) => {
      await shop.client(person).call('setBasketLine', { params: { id }, body: { quantity: 1 } });
      return { params: { id } };
    },
    placePurchase: async (person) => {
      const other = await shop.addProduct({ price: 3 });
      await shop.client(person).call('setBasketLine', { params: { id }, body: { quantity: 1 } });
      return {
        body: { lines: [id, other._id].map((orderId) => ({ orderId, orderQuantity: 1 })), price: 5 },
        headers: withKey(),
      };
    },
    getPurchase: async (person) => ({
      params: { id: (await placeOrder(shop, person, product)).purchase },
    }),
    changeDelivery: async (person) => ({
      params: { id: (await placeOrder(shop, person, product)).purchase },
      body: { version: 1, address: '1 Mill Lane' },
    }),
    orderAgain: async (person) => ({
      params: { id: (await placeOrder(shop, person, product)).purchase },
    }),
    shipOrder: async (person) => ({
      params: { id: (await buy(shop, person, product)).order._id },
      // The payment is the first change.
      body: { orderStatus: 'sipping', version: 2, trackingNumber: '1Z5R89390357567127' },
    }),
    shipParcel: async (person) => {
      const { order } = await buy(shop, person, product);
      return {
        body: {
          lines: [{ order: order._id, quantity: 1 }],
          // The payment is the first change.
          versions: { [order.purchase]: 2 },
          trackingNumber: '1Z5R89390357567128',
        },
        headers: withKey(),
      };
    },
    undoShipment: async (person) => {
      const { order } = await buy(shop, person, product);
      const lines = [{ order: order._id, quantity: 1 }];
      return { params: { id: await shipParcel(shop.client(await getAdmin()), { lines }) } };
    },
    addOrderNote: async (person) => ({
      ...(await placeUnpaidOrder(person)),
      body: { text: 'Rang twice.' },
      headers: withKey(),
    }),
    refundOrder: async (person) => ({
      params: { id: (await buy(shop, person, product)).order._id },
      body: { version: 2, amount: 1, reason: 'other', quantity: 1, restock: 1 },
      headers: withKey(),
    }),
    refundPurchase: async (person) => ({
      params: { id: (await buy(shop, person, product)).order.purchase },
      body: { version: 2, reason: 'other', restock: true },
      headers: withKey(),
    }),
    recordReturn: async (person) => {
      const { order } = await buy(shop, person, product);
      const client = shop.client(await getAdmin());
      const params = { id: order._id };
      const { version } = await client.call('shipOrder', { params, body: { orderStatus: 'sipping' } });
      return { params, body: { version, quantity: 1 } };
    },
    assignRefund: async (person) => {
      const { order, refund } = await unassignRefund(
        shop,
        await getAdmin(),
        (await buy(shop, person, product)).order,
      );
      const { version } = await shop.client(await getAdmin()).call('getOrder', { params: { id: order } });
      return {
        params: { id: refund },
        body: { version, lines: [{ order, amount: 1, quantity: 0, restock: 0 }] },
      };
    },
    settleRefund: async (person) => ({
      params: { id: await failRefund(shop, await getAdmin(), (await buy(shop, person, product)).order) },
      body: { outcome: 'repaid', note: 'By bank transfer.' },
    }),
    markOrderPaid: async (person) => {
      const { order, intent } = await placeChargedOrder(person);
      return { params: { id: order._id }, body: { transactionId: intent.id } };
    },
    deleteOrder: placeUnpaidOrder,
    createPaymentIntent: async (person) => ({
      body: { price: 2, order: (await placeOrder(shop, person, product))._id },
    }),
    getPrintout: async (person) => ({
      query: { orders: (await buy(shop, person, product)).order.number },
    }),
    getShopDetails: () => ({}),
    saveShopDetails: async () => {
      const { version } = await shop.client(await getAdmin()).call('getShopDetails', {});
      return { body: { version, name: `Escapement Supplies ${version}` } };
    },
    listAudit: () => ({}),
    getHealth: () => ({}),
    retryMail: () => ({}),
    getOverview: () => ({}),
    getRestoredBackup: () => ({}),
    listUnknownPayments: () => ({}),
    settleUnknownPayment: async () => {
      const intent = `pi_${randomUUID()}`;
      await shop.database.db
        .insertInto('unknown_payment')
        .values({
          intent,
          amount: 100,
          currency: 'USD',
          purchase_id: '',
          number: '',
          outcome: '',
          seen_at: 0,
        })
        .execute();
      return { params: { id: intent }, body: { outcome: 'dismissed' } };
    },
    settleLatePayment: async (person) => {
      const { intent } = await loseStock(shop, person);
      return { params: { id: intent.id }, body: { version: 2, outcome: 'refunded' } };
    },
    sendContactMessage: ({ email }) => ({ body: { email, message: 'Do you repair fusee chains?' } }),
    subscribe: ({ email }) => ({ body: { email } }),
    confirmSubscription: async () => {
      const subscriber = `${randomUUID()}@mail.example`;
      return { body: { token: await issueToken(shop.database, 'confirm subscription', subscriber) } };
    },
    listSubscribers: () => ({}),
    listContactMessages: () => ({}),
    markContactMessages: async () => ({ body: { ids: [await addContactMessage()], answered: true } }),
    receiveStripeEvent: async (person) => {
      const { intent } = await placeChargedOrder(person);
      const object = { id: intent.id, object: 'payment_intent', status: 'succeeded', metadata: {} };
      const payload = JSON.stringify({
        id: 'evt_a',
        object: 'event',
        type: 'payment_intent.succeeded',
        livemode: false,
        data: { object },
      });
      const sign = new Stripe('sk_test_none').webhooks;
      const header = sign.generateTestHeaderString({ payload, secret: shop.stripe.webhookSecret });
      return { body: payload, headers: { 'stripe-signature': header } };
    },
    quoteLines: () => ({ body: { lines: [{ orderId: id, orderQuantity: 1 }], country: 'GB' } }),
    quotePurchase: async (person) => ({
      params: { id: (await placeOrder(shop, person, product)).purchase },
      query: { country: 'GB' },
    }),
    saveCheckout: async (person) => {
      await shop.client(await getAdmin()).call('saveShipping', { body: await makeShipping(1) });
      const { purchase } = await placeOrder(shop, person, product);
      const params = { id: purchase };
      const { rates } = await shop.client(person).call('quotePurchase', { params, query: { country: 'GB' } });
      return { params, body: { version: 1, shipTo: home, rate: rates[0]?._id, price: 5 } };
    },
    listAddresses: () => ({}),
    addAddress: async () => {
      await emptyAddressBooks();
      return { body: home, headers: withKey() };
    },
    changeAddress: async (person) => ({
      params: { id: await addAddress(person) },
      body: { ...home, line1: '2 Mill Lane' },
    }),
    removeAddress: async (person) => ({ params: { id: await addAddress(person) } }),
    // Later samples need a shop without delivery.
    getShipping: async () => {
      const client = shop.client(await getAdmin());
      const { zones } = await client.call('getShipping', {});
      if (zones.some(({ rates }) => rates.length > 0))
        await client.call('saveShipping', { body: await makeShipping(0) });
      return {};
    },
    saveShipping: async () => ({ body: await makeShipping(0) }),
    uploadImage: () => {
      const body = new FormData();
      body.set('image', new Blob([new Uint8Array(image)]));
      return { body };
    },
  };

  return {
    calls,
    /** URL path of a page. */
    async address(path: string, person: TestUser): Promise<string> {
      if (path === '/dashboard/payment/:id' || path === '/dashboard/orders/:id')
        return path.replace(':id', (await placeUnpaidOrder(person)).params.id);
      if (path.startsWith('/dashboard/print/'))
        return `${path}?orders=${(await placeUnpaidOrder(person)).params.id}`;
      return path.replace(/:productId|:id/, id).replace('*', 'nowhere');
    },
  };
}
