import type { z } from 'zod';
import type { Product } from '../../../contract/catalogue/products.ts';
import type { newOrder } from '../../../contract/orders/orders.ts';
import { paymentPages, purchasePages } from '../../../contract/page-addresses.ts';
import type { WebSettings } from '../../../contract/pages.ts';
import { ApiError } from '../../client/api/client.ts';
import { getIdempotencyKey } from '../../client/api/idempotency.ts';
import { defineForm, textOf } from '../../forms/page-form.ts';

/** The wording of this and of `invalidQuantity` is the specification's. */
export const orderPlaced = 'Add your product Successfully';
/** The payment page of an order that has just been placed. */
export const getOrderedPage = (orderId: string): string => `${paymentPages}/${orderId}?done=ordered`;
export const addedToBasket = 'Added to your basket';
export const invalidQuantity = 'plz Input the write value';
/** The button that places an order. Once the shop delivers at rates, the next page asks where to and how. */
export const labelOrderButton = ({ delivers }: WebSettings): string =>
  delivers ? 'Continue to checkout' : 'Place order';

/** The text below that button. */
export const describeNextPage = ({ delivers }: WebSettings): string =>
  delivers
    ? 'On the next page you choose where and how we send it, and pay.'
    : 'You pay on the next page. My Orders keeps the order if you would rather pay later.';

export const explainUnknownOutcome = (settings: WebSettings): string =>
  `The connection was lost, so your order may already have been placed. Press ${labelOrderButton(settings)} again: it will be placed only once.`;

/** Whether an order may have been placed despite this error. `wasUnknown` is the result for the previous attempt. */
export function isOutcomeUnknown(error: unknown, wasUnknown: boolean): boolean {
  const status = error instanceof ApiError ? error.problem.status : 0;
  // A 429 says nothing about the previous attempt.
  return status === 0 || status >= 500 || (wasUnknown && status === 429);
}

type Range = Pick<Product, 'o_quantity' | 'a_quantity'>;

/** Parses a quantity; undefined if it is outside the product's range. */
export function parseQuantity(
  { o_quantity: min, a_quantity: max }: Range,
  input: unknown,
): number | undefined {
  const text = String(input ?? '').trim();
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return count >= min && count <= max ? count : undefined;
}

/** Multiplies in hundredths, because floats are inexact. */
export const calculateTotal = (price: number, count: number): number =>
  (Math.round(price * 100) * count) / 100;

/** The range of quantities that the page showed, as one hidden field. */
export const formatRange = ({ o_quantity, a_quantity }: Range): string => `${o_quantity} ${a_quantity}`;

function parseRange(text: string): Range {
  const [o_quantity = 0, a_quantity = 0] = text.split(' ').map(Number);
  return { o_quantity, a_quantity };
}

/** The quantity that was entered; undefined if it is outside the range that the page showed. */
const readQuantity = (input: unknown): number | undefined =>
  parseQuantity(parseRange(textOf(input, 'range')), textOf(input, 'orderQuantity'));

/** Orders a product at the unit price that the form showed. */
export const orderForm = defineForm({
  name: 'order',
  fields: ['orderQuantity', 'price', 'phone', 'address', 'orderId', 'product', 'user', 'userName', 'range'],
  personalFields: ['address', 'phone'],
  access: 'user',
  validate(input) {
    const read = (field: string) => textOf(input, field);
    const orderQuantity = readQuantity(input);
    if (orderQuantity === undefined) return { errors: { orderQuantity: invalidQuantity } };
    const values = {
      orderId: read('orderId'),
      product: read('product'),
      user: read('user'),
      userName: read('userName'),
      orderQuantity,
      price: calculateTotal(Number(read('price')), orderQuantity),
      phone: read('phone'),
      address: read('address'),
      orderStatus: '',
    };
    return { values };
  },
  send: ({ client, key }, body: z.input<typeof newOrder>) =>
    client.call('placeOrder', { body, idempotencyKey: getIdempotencyKey(key, body) }),
  donePage: ({ insertedId }) => getOrderedPage(insertedId),
});

/** Adds a quantity of a product to the basket. */
export const addForm = defineForm({
  name: 'add',
  fields: ['orderQuantity', 'orderId', 'range'],
  access: 'user',
  validate(input) {
    const quantity = readQuantity(input);
    if (quantity === undefined) return { errors: { orderQuantity: invalidQuantity } };
    return { values: { id: textOf(input, 'orderId'), quantity } };
  },
  send({ client, key }, { id, quantity }: { id: string; quantity: number }) {
    const idempotencyKey = getIdempotencyKey(key, ['basket', id, { quantity }]);
    return client.call('addToBasket', { params: { id }, body: { quantity }, idempotencyKey });
  },
  donePage: (_, params) => `${purchasePages}/${params.productId}?done=added`,
});
