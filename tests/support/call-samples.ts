import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import Stripe from 'stripe';
import type { CallName } from '../../contract/paths.ts';
import { authSecret } from '../../server/identity/secret.ts';
import { signSubscription } from '../../server/shop/contact/subscription-link.ts';
import { buy, confirmIntent, openPayment, placeOrder } from './payments.ts';
import type { SendOptions, TestUser } from './requests.ts';
import type { TestShop } from './shop.ts';

/** The settings with which every call and every page is offered. */
export const allOffers = { CONTACT_EMAIL: 'owner@mail.example', NEWSLETTER: 'yes' };

/** For each call of the contract, prepares data and returns a request that succeeds for a user. Likewise for pages. */
export async function prepareCalls(shop: TestShop) {
  // Without webhooks: otherwise an event could do the work of a call before it.
  await shop.stripe.close();
  const product = await shop.addProduct({ price: 2, a_quantity: 100_000 });
  const stranger = await shop.signUp('Eve');
  const image = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#888' } })
    .png()
    .toBuffer();
  const { _id: id, img } = product;
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
  async function addReview(): Promise<string> {
    const body = { rating: 1, reviews: 'Buy elsewhere.', img };
    return (await shop.client(stranger).call('addReview', { body })).insertedId;
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
    // The only one that fails, with 422: the calls after it need the user.
    deleteUser: ({ email }) => ({ params: { email }, body: { password: 'not the password' } }),
    exportUser: ({ email }) => ({ params: { email } }),
    listProducts: () => ({ query: { limit: '12' } }),
    listCategories: () => ({}),
    getProduct: () => ({ params: { id } }),
    addProduct: ({ email }) => ({ body: { ...newProduct, email }, headers: withKey() }),
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
    addReview: () => ({ body: { rating: 5, reviews: 'Good.', img }, headers: withKey() }),
    hideReview: async () => ({ params: { id: await addReview() }, body: { reason: 'Advertising.' } }),
    showReview: async () => ({ params: { id: await addReview() } }),
    listAllOrders: () => ({}),
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
    shipOrder: async (person) => ({
      params: { id: (await buy(shop, person, product)).order._id },
      body: { orderStatus: 'sipping', trackingNumber: '1Z5R89390357567127' },
    }),
    addOrderNote: async (person) => ({
      ...(await placeUnpaidOrder(person)),
      body: { text: 'Rang twice.' },
      headers: withKey(),
    }),
    refundOrder: async (person) => ({
      params: { id: (await buy(shop, person, product)).order._id },
      body: { amount: 1, reason: 'other', restock: 1 },
      headers: withKey(),
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
      const { version } = await shop.client(await shop.admin()).call('getShopDetails', {});
      return { body: { version, name: `Escapement Supplies ${version}` } };
    },
    listAudit: () => ({}),
    getHealth: () => ({}),
    retryMail: () => ({}),
    getOverview: () => ({}),
    listUnknownPayments: () => ({}),
    sendContactMessage: ({ email }) => ({ body: { email, message: 'Do you repair fusee chains?' } }),
    subscribe: ({ email }) => ({ body: { email } }),
    confirmSubscription: () => {
      const subscriber = `${randomUUID()}@mail.example`;
      return { body: { token: signSubscription(subscriber, Date.now(), authSecret(shop.config)) } };
    },
    listSubscribers: () => ({}),
    receiveStripeEvent: async (person) => {
      const { intent } = await placeChargedOrder(person);
      const object = { id: intent.id, object: 'payment_intent', status: 'succeeded', metadata: {} };
      const payload = JSON.stringify({
        ...{ id: 'evt_a', object: 'event', type: 'payment_intent.succeeded', livemode: false },
        data: { object },
      });
      const sign = new Stripe('sk_test_none').webhooks;
      const header = sign.generateTestHeaderString({ payload, secret: shop.stripe.webhookSecret });
      return { body: payload, headers: { 'stripe-signature': header } };
    },
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
