import type { z } from 'zod';
import type { Product } from '../../contract/catalogue/products.ts';
import type { Order } from '../../contract/orders/orders.ts';
import type { Purchase } from '../../contract/orders/purchases.ts';
import type { newRefund } from '../../contract/orders/refunds.ts';
import type { newShipment } from '../../contract/orders/shipments.ts';
import type { shipment } from '../../contract/orders/shipping.ts';
import type { Client } from '../../web/client/api/client.ts';
import { withDatabases } from './auditor.ts';
import type { TestUser } from './requests.ts';
import type { TestShop } from './shop.ts';

/** The id that this shop writes into the metadata of its payments. */
export async function readShopId({ database }: TestShop): Promise<string> {
  const { value } = await database.db
    .selectFrom('setting')
    .select('value')
    .where('name', '=', 'shop id')
    .executeTakeFirstOrThrow();
  return value;
}

/**
 * Renames an object at the provider. This hides it, as if the secret key were that of another account; renaming it back shows it
 * again.
 */
export const renameAtProvider = ({ config }: TestShop, from: string, to: string) =>
  withDatabases(config.database, ({ provider }) =>
    provider.updateTable('stripe_object').set({ id: to }).where('id', '=', from).execute(),
  );

/** Places an order through the API and returns it. */
export async function placeOrder(
  shop: TestShop,
  person: TestUser,
  product: Product,
  pieces = 1,
): Promise<Order> {
  const client = shop.client(person);
  const { insertedId } = await client.call('placeOrder', {
    body: {
      orderId: product._id,
      orderQuantity: pieces,
      price: Math.round(product.price * pieces * 100) / 100,
      user: person.email,
    },
  });
  return client.call('getOrder', { params: { id: insertedId } });
}

/** Opens the payment of an order, as the payment page does, and returns the intent's id and client secret. */
export const openPayment = (shop: TestShop, person: TestUser, { _id: order, price }: Order) =>
  openIntent(shop, person, { price, order });

/** Like `openPayment`, for a whole purchase. */
export const openPurchasePayment = (shop: TestShop, person: TestUser, { _id, price }: Purchase) =>
  openIntent(shop, person, { price, purchase: _id });

async function openIntent(
  shop: TestShop,
  person: TestUser,
  body: { price: number; order?: string; purchase?: string },
) {
  const { clientSecret } = await shop.client(person).call('createPaymentIntent', { body });
  return { clientSecret, id: clientSecret.replace(/_secret_.*/, '') };
}

/** Places a purchase through the API and returns it. */
export async function placePurchase(
  shop: TestShop,
  person: TestUser,
  lines: [product: Product, quantity: number][],
): Promise<Purchase> {
  const client = shop.client(person);
  const cents = lines.reduce((sum, [{ price }, quantity]) => sum + Math.round(price * 100) * quantity, 0);
  const { insertedId } = await client.call('placePurchase', {
    body: {
      lines: lines.map(([{ _id: orderId }, orderQuantity]) => ({ orderId, orderQuantity })),
      price: cents / 100,
    },
  });
  return client.call('getPurchase', { params: { id: insertedId } });
}

/** Calls the stand-in for Stripe's API with the shop's secret key. `form` uses Stripe's names, such as `metadata[order]`. */
export async function requestStripe(
  shop: TestShop,
  method: 'GET' | 'POST',
  path: string,
  form: Record<string, string> = {},
) {
  const response = await shop.stripe.fetch(
    new Request(`${shop.origin}/sandbox/stripe/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${shop.stripe.secretKey}` },
      ...(method === 'POST' ? { body: new URLSearchParams(form) } : {}),
    }),
  );
  const body: StripeResponse = await response.json();
  return body;
}

type StripeResponse = {
  id: string;
  status: string;
  amount: number;
  error?: { code: string };
  data: {
    id: string;
    status: string;
    amount: number;
    metadata: Record<string, string>;
    /** Only on refunds. */
    payment_intent?: string;
  }[];
};

/** Confirms an intent with one of Stripe's test cards, as Stripe.js does. */
export function confirmIntent(shop: TestShop, intent: { id: string }, card = 'pm_card_visa') {
  return requestStripe(shop, 'POST', `/payment_intents/${intent.id}/confirm`, {
    payment_method: card,
    return_url: `${shop.origin}/`,
  });
}

/** Lists the states of an order's intents at the provider, oldest first. */
export async function listIntentStates(shop: TestShop, { _id }: Order): Promise<string[]> {
  const { data } = await requestStripe(shop, 'GET', '/payment_intents?limit=100');
  return data
    .filter(({ metadata }) => metadata.order === _id)
    .map(({ status }) => status)
    .reverse();
}

/** Reports an order as paid, as the payment page does. */
export function reportPaid(shop: TestShop, person: TestUser, order: Order, intent: { id: string }) {
  return shop.client(person).call('markOrderPaid', {
    params: { id: order._id },
    body: { order: order._id, transactionId: intent.id, orderStatus: 'paid' },
  });
}

/** Places an order and pays for it. */
export async function buy(
  shop: TestShop,
  person: TestUser,
  product: Product,
  pieces = 1,
  card = 'pm_card_visa',
) {
  const order = await placeOrder(shop, person, product, pieces);
  const intent = await openPayment(shop, person, order);
  await confirmIntent(shop, intent, card);
  await reportPaid(shop, person, order, intent);
  return { order, intent };
}

/** Places a purchase and pays for it. */
export async function buyTogether(
  shop: TestShop,
  person: TestUser,
  lines: [product: Product, quantity: number][],
  card = 'pm_card_visa',
): Promise<Purchase> {
  const purchase = await placePurchase(shop, person, lines);
  const { id: transactionId } = await openPurchasePayment(shop, person, purchase);
  await confirmIntent(shop, { id: transactionId }, card);
  const client = shop.client(person);
  const params = { id: purchase.orders[0]?._id ?? '' };
  await client.call('markOrderPaid', { params, body: { transactionId } });
  return client.call('getPurchase', { params: { id: purchase._id } });
}

/**
 * Refunds an order as an admin who has just read it. By default, it refunds all the money and pieces that are left. With another
 * `amount`, it refunds only the pieces that return to stock. Equal requests with one `idempotencyKey` are replays.
 */
export async function refundOrder(
  client: Client,
  { params, body, idempotencyKey }: RefundRequest,
): Promise<{ insertedId: string; version: number }> {
  const order = await client.call('getOrder', { params });
  const rest = Math.round((order.price - order.refunded - (order.owed ?? 0)) * 100) / 100;
  const { amount = rest || order.price, restock = 0 } = body;
  const unrefunded = order.orderQuantity - (order.refundedQuantity ?? 0);
  const quantity = amount === rest ? Math.max(restock, unrefunded) : restock;
  return client.call('refundOrder', {
    params,
    body: { version: order.version, quantity, ...body, amount, restock },
    idempotencyKey,
  });
}

type NewRefund = z.input<typeof newRefund>;
export type RefundBody = Pick<NewRefund, 'reason'> & { [field in keyof NewRefund]?: NewRefund[field] };
type RefundRequest = {
  params: { id: string };
  body: RefundBody;
  idempotencyKey?: string | undefined;
};

/** Refunds 1.00 of an order, and changes the rows as if the refund had failed later. Returns the refund's id. */
export async function failRefund(shop: TestShop, admin: TestUser, { _id, purchase }: Order): Promise<string> {
  const body = { amount: 1, reason: 'other' } as const;
  const { insertedId } = await refundOrder(shop.client(admin), { params: { id: _id }, body });
  const { db } = shop.database;
  await db.updateTable('refund').set({ status: 'failed' }).where('id', '=', insertedId).execute();
  await db.updateTable('order_line').set({ refunded: 0, owed: 100 }).where('id', '=', _id).execute();
  await db.updateTable('purchase').set({ refunded: 0 }).where('id', '=', purchase).execute();
  return insertedId;
}

/** Refunds 1.00 of an order, and changes the rows as if the refund had been made at the provider, for an unknown order. */
export async function unassignRefund(
  shop: TestShop,
  admin: TestUser,
  { _id: order, purchase }: Order,
): Promise<{ order: string; refund: string }> {
  const body = { amount: 1, reason: 'other' } as const;
  const { insertedId: refund } = await refundOrder(shop.client(admin), { params: { id: order }, body });
  const { db } = shop.database;
  await db.deleteFrom('refund_line').where('refund_id', '=', refund).execute();
  await db.updateTable('order_line').set({ refunded: 0 }).where('id', '=', order).execute();
  await db.updateTable('purchase').set({ unassigned: 100 }).where('id', '=', purchase).execute();
  return { order, refund };
}

/** Changes the rows of a purchase as if it had been charged back. */
export async function chargeBack({ database: { db } }: TestShop, purchase: string): Promise<void> {
  await db.updateTable('purchase').set({ charged_back: 100 }).where('id', '=', purchase).execute();
  await db
    .updateTable('order_line')
    .set({ is_charged_back: 1 })
    .where('purchase_id', '=', purchase)
    .execute();
}

/** Ships an order, or corrects its tracking, as an admin who has just read it. */
export async function shipOrder(
  client: Client,
  { params, body }: { params: { id: string }; body: z.input<typeof shipment> },
): Promise<{ modifiedCount: number; version: number }> {
  const { version } = await client.call('getOrder', { params });
  return client.call('shipOrder', { params, body: { version, ...body } });
}

/** Ships pieces of orders as one parcel, as an admin who has just read them. Returns the parcel's id. */
export async function shipParcel(
  client: Client,
  { idempotencyKey, ...body }: Omit<z.input<typeof newShipment>, 'versions'> & { idempotencyKey?: string },
): Promise<string> {
  const versions: Record<string, number> = {};
  for (const { order: id } of body.lines) {
    const order = await client.call('getOrder', { params: { id } });
    versions[order.purchase] = order.version;
  }
  return (await client.call('shipParcel', { body: { ...body, versions }, idempotencyKey })).insertedId;
}
