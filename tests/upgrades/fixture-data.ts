import sharp from 'sharp';
import type { Product } from '../../contract/catalogue/products.ts';
import { createCookieClient } from '../support/browser-jar.ts';
import { postImage } from '../support/image-upload.ts';
import { addPasskey } from '../support/passkeys.ts';
import {
  buy,
  confirmIntent,
  openPayment,
  openPurchasePayment,
  placeOrder,
  placePurchase,
  requestStripe,
} from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import type { TestShop } from '../support/shop.ts';
import { turnOnTwoFactor } from '../support/two-factor.ts';

/** Facts about a fixture that its rows do not show. Stored as JSON in released fixtures, so the names must stay. */
export type FixtureFacts = {
  authSecret: string;
  admin: TestUser;
  customer: TestUser;
  /** Stock of each product when it was added. */
  stock: Record<string, number>;
  /** A call with an idempotency key, and its response. */
  once: { idempotencyKey: string; insertedId: string; body: OrderBody };
  /** The customer's unpaid orders: one without a payment, and one with an open intent. */
  plain: string;
  opened: { order: string; intent: string };
};

type OrderBody = { orderId: string; orderQuantity: number; price: number; user: string };

/**
 * Fills a shop through its API: users with a password and with Google, orders and payments in every state, reviews,
 * images, a stored idempotent response, admins' actions. The shop listens afterwards.
 */
export async function fillFixture(shop: TestShop): Promise<Omit<FixtureFacts, 'authSecret'>> {
  const { db } = shop.database;
  const admin = await shop.admin('Ada Admin');
  const customer = await shop.signUpConfirmed("Tom O'Graham");
  const client = shop.client(customer);
  await signUpWithGoogle(shop);
  await turnOnTwoFactor(shop, await shop.signUp('Ines Mudge'), 0);
  await shop.signIn(customer.email, 'wrong-password').catch(() => undefined);
  await client.call('saveUser', {
    params: { email: customer.email },
    body: { address: '1 Dial Lane', phone: '555 0101', education: 'Horology', linkedIn: 'in/tom' },
  });
  const product = await shop.addProduct({ a_quantity: 100 });
  const withdrawn = await shop.addProduct({ name: 'Broach', a_quantity: 5 });
  const create = { width: 2, height: 1, channels: 3, background: '#1f3f73' } as const;
  const img = await postImage(shop, customer, await sharp({ create }).png().toBuffer());
  const praise = { product: product._id, rating: 4, reviews: 'True to 0.01 mm; “fine”.', img };
  const { insertedId: reviewId } = await client.call('addReview', { body: praise });
  await shop.client(admin).call('reportReview', { params: { id: reviewId }, body: { reason: 'Not true.' } });
  const hidden = await client.call('addReview', { body: { rating: 1, reviews: 'Cheap watches!', img } });
  await shop
    .client(admin)
    .call('hideReview', { params: { id: hidden.insertedId }, body: { reason: 'Advertising.' } });

  const plain = await placeOrder(shop, customer, product);
  const opened = await placeOrder(shop, customer, product, 2);
  const intent = await openPayment(shop, customer, opened);
  await buy(shop, customer, product, 3);
  const { order: shipped } = await buy(shop, customer, product, 4);
  await shop.client(admin).call('shipOrder', {
    params: { id: shipped._id },
    body: { orderStatus: 'sipping', trackingNumber: '1Z5R89390357567127' },
  });
  await shop.client(admin).call('addOrderNote', {
    params: { id: shipped._id },
    body: { text: "Left at O'Graham's gate." },
  });
  const once = await placeKeyedOrder(shop, customer, product);
  await buy(shop, customer, withdrawn);
  await shop.client(admin).call('deleteProduct', { params: { id: withdrawn._id } });
  const removed = await placeOrder(shop, customer, product);
  await openPayment(shop, customer, removed);
  await shop.client(admin).call('deleteOrder', { params: { id: removed._id } });
  const expired = await placeOrder(shop, customer, product);
  await db.updateTable('orders').set({ hold_until: 1 }).where('id', '=', expired._id).execute();
  await shop.doPeriodicWork();
  const gauge = await shop.addProduct({ name: 'Gauge', a_quantity: 50 });
  await shop.client(admin).call('editProduct', {
    params: { id: gauge._id },
    body: { version: gauge.version, images: [gauge.img, img] },
  });
  await fillPurchases(shop, [product, gauge]);
  await fillWaiting(shop, gauge);
  await fillRefunds(shop, admin, gauge);

  await confirmIntent(shop, await makeIntent(shop, { 'metadata[shop]': await readShopId(shop) }));
  await waitUntil(async () => (await db.selectFrom('unknown_payment').selectAll().execute()).length === 1);
  await payForMissingOrder(shop, 'refunded');
  // Refunds fail as long as this shop runs.
  shop.stripe.fail({ call: 'POST /v1/refunds', times: 1000, how: 500 });
  await payForMissingOrder(shop, 'refund_due');

  return {
    admin,
    customer,
    stock: { [product._id]: 100, [gauge._id]: 50 },
    once,
    plain: plain._id,
    opened: { order: opened._id, intent: intent.id },
  };
}

/** A customer with a paid purchase of two orders, an unpaid one with an open intent, and a basket. */
async function fillPurchases(shop: TestShop, products: Product[]): Promise<void> {
  const customer = await shop.signUp('Rosa Breguet');
  const place = () =>
    placePurchase(
      shop,
      customer,
      products.map((product) => [product, 2]),
    );
  const paid = await place();
  await confirmIntent(shop, await openPurchasePayment(shop, customer, paid));
  await openPurchasePayment(shop, customer, await place());
  for (const { _id: id } of products)
    await shop.client(customer).call('setBasketLine', { params: { id }, body: { quantity: 3 } });
}

/**
 * A customer with a passkey who waits for a product. The product is not sold out for this, because the books of
 * the fixture must balance.
 */
async function fillWaiting(shop: TestShop, { _id: product_id }: Product): Promise<void> {
  const nora = await shop.signUp('Nora Quare');
  const { email } = nora;
  await addPasskey(shop, nora);
  const { db } = shop.database;
  const { id } = await db
    .selectFrom('user')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('back_in_stock')
    .values({ user_id: id, product_id, asked_at: Date.now(), stop_token: 'fixture' })
    .execute();
}

/** A customer with a refunded order whose pieces are back in stock, one with a pending refund, and a disputed one. */
async function fillRefunds(shop: TestShop, admin: TestUser, product: Product): Promise<void> {
  const customer = await shop.signUp('Hana Arnold');
  for (const card of ['pm_card_visa', 'pm_card_pendingRefund']) {
    const { order } = await buy(shop, customer, product, 3, card);
    await shop.client(admin).call('refundOrder', {
      params: { id: order._id },
      body: {
        amount: 12.5,
        reason: 'requested_by_customer',
        note: "Arrived bent; she'll keep one.",
        quantity: 2,
        restock: 1,
      },
    });
  }
  await buy(shop, customer, product, 1, 'pm_card_createDispute');
  await waitUntil(async () => (await listDisputes(shop)).length === 1);
}

const listDisputes = ({ database }: TestShop) => database.db.selectFrom('dispute').selectAll().execute();

/** Signs up a new user through the pages of the stand-in for Google. */
async function signUpWithGoogle(shop: TestShop): Promise<void> {
  await shop.listen();
  const jar = createCookieClient();
  const started = await jar.visit(`${shop.origin}/api/auth/sign-in/social`, {
    method: 'POST',
    headers: { origin: shop.origin, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'google', callbackURL: '/blogs', errorCallbackURL: '/login' }),
  });
  const { url }: { url: string } = await started.json();
  const accountPage = await jar.followRedirects(url);
  const body = new URLSearchParams({ email: 'Ines.Vale@mail.example', verified: 'on' });
  const end = await jar.followRedirects(accountPage.url, { method: 'POST', body });
  if (!end.url.endsWith('/blogs')) throw new Error(`The sign-in with Google ended at ${end.url}`);
}

async function placeKeyedOrder(
  shop: TestShop,
  { email, token, ...rest }: TestUser,
  product: { _id: string },
) {
  const body = { orderId: product._id, orderQuantity: 1, price: 12.5, user: email };
  const idempotencyKey = 'a-key-of-the-fixture';
  const client = shop.client({ email, token, ...rest });
  const { insertedId } = await client.call('placeOrder', { body, idempotencyKey });
  return { body, idempotencyKey, insertedId };
}

const makeIntent = (shop: TestShop, metadata: Record<string, string> = {}) =>
  requestStripe(shop, 'POST', '/payment_intents', { amount: '1250', currency: 'usd', ...metadata });

async function readShopId(shop: TestShop): Promise<string> {
  const found = shop.database.db.selectFrom('setting').select('value').where('name', '=', 'shop id');
  return (await found.executeTakeFirstOrThrow()).value;
}

/** Pays for an order that does not exist, as after a bug. */
async function payForMissingOrder(shop: TestShop, state: 'refunded' | 'refund_due'): Promise<void> {
  const { db } = shop.database;
  const { id: intent } = await makeIntent(shop);
  const row = { order_id: `gone-${state}`, attempt: 1, amount: 1250, currency: 'USD', created_at: 1 };
  await db
    .insertInto('payment')
    .values({ ...row, id: `payment-${state}`, intent, state: 'open' })
    .execute();
  await confirmIntent(shop, { id: intent });
  await waitUntil(async () => {
    await shop.doPeriodicWork();
    const found = db.selectFrom('payment').select('state').where('intent', '=', intent);
    return (await found.executeTakeFirst())?.state === state;
  });
}

async function waitUntil(isMet: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await isMet()); )
    if (Date.now() > end) throw new Error('The condition was not met within 20 seconds.');
}
