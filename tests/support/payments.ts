import type { Order } from '../../contract/orders.ts';
import type { Product } from '../../contract/products.ts';
import type { Person } from './ask.ts';
import type { TestShop } from './shop.ts';

/** Orders some pieces of a product and gives the order. */
export async function placeOrder(
  shop: TestShop,
  person: Person,
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

/** Opens the payment of an order as its page does: the intent's id and its secret. */
export async function openPayment(shop: TestShop, person: Person, order: Order) {
  const { clientSecret } = await shop
    .client(person)
    .call('createPaymentIntent', { body: { price: order.price, order: order._id } });
  return { clientSecret, id: clientSecret.replace(/_secret_.*/, '') };
}

/** A call of Stripe's API, with the shop's secret key; `form` as Stripe's form encoding has it. */
export async function askStripe(
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
  const body: StripeAnswer = await response.json();
  return body;
}
type StripeAnswer = {
  id: string;
  status: string;
  amount: number;
  error?: { code: string };
  data: {
    id: string;
    status: string;
    amount: number;
    metadata: Record<string, string>;
    /** Of a refund. */
    payment_intent?: string;
  }[];
};

/** Confirms an intent as the browser's script does, with one of Stripe's test cards. */
export function confirm(shop: TestShop, intent: { id: string }, card = 'pm_card_visa') {
  return askStripe(shop, 'POST', `/payment_intents/${intent.id}/confirm`, {
    ...{ payment_method: card, return_url: `${shop.origin}/` },
  });
}

/** Tells the shop that an order was paid, as the browser does. */
export function tellPaid(shop: TestShop, person: Person, order: Order, intent: { id: string }) {
  return shop.client(person).call('markOrderPaid', {
    params: { id: order._id },
    body: { order: order._id, transactionId: intent.id, orderStatus: 'paid' },
  });
}

/** Orders and pays. */
export async function buy(shop: TestShop, person: Person, product: Product, pieces = 1) {
  const order = await placeOrder(shop, person, product, pieces);
  const intent = await openPayment(shop, person, order);
  await confirm(shop, intent);
  await tellPaid(shop, person, order, intent);
  return { order, intent };
}
