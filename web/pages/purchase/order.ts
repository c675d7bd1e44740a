import type { Product } from '../../../contract/catalogue/products.ts';
import type { Basket } from '../../../contract/orders/purchases.ts';
import type { Viewer } from '../../../contract/pages.ts';
import { ApiError } from '../../client/api/client.ts';
import { getIdempotencyKey } from '../../client/api/idempotency.ts';
import type { ShopForm } from '../../forms/shop-form.ts';

/** The wording of this and of `invalidQuantity` is the specification's. */
export const orderPlaced = 'Add your product Successfully';
export const addedToBasket = 'Added to your basket';
export const invalidQuantity = 'plz Input the write value';
export const outcomeUnknown =
  'The connection was lost, so your order may already have been placed. Press Place order again: it will be placed only once.';

/** Whether an order may have been placed despite this error. `wasUnknown` is the result for the previous attempt. */
export function isOutcomeUnknown(error: unknown, wasUnknown: boolean): boolean {
  const status = error instanceof ApiError ? error.problem.status : 0;
  // A 429 says nothing about the previous attempt.
  return status === 0 || status >= 500 || (wasUnknown && status === 429);
}

export type OrderValues = { orderQuantity: number; price: number; phone: string; address: string };

/** Parses a quantity; undefined if it is outside the product's range. */
export function parseQuantity(
  { o_quantity: min, a_quantity: max }: Pick<Product, 'o_quantity' | 'a_quantity'>,
  input: unknown,
): number | undefined {
  const text = String(input ?? '').trim();
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return count >= min && count <= max ? count : undefined;
}

/** Multiplies in hundredths, because floats are inexact. */
export const calculateTotal = (price: number, count: number): number =>
  (Math.round(price * 100) * count) / 100;

/** Orders a product at the unit price that the form showed. */
export const createOrderForm = (
  product: Product,
  viewer: Viewer,
  formKey: string,
): ShopForm<OrderValues> => ({
  name: 'order',
  fields: ['orderQuantity', 'price', 'phone', 'address'],
  personalFields: ['address', 'phone'],
  validate(input) {
    const values = new Map(Object.entries(input ?? {}));
    const orderQuantity = parseQuantity(product, values.get('orderQuantity'));
    if (orderQuantity === undefined) return { errors: { orderQuantity: invalidQuantity } };
    const price = calculateTotal(Number(values.get('price')), orderQuantity);
    const textOf = (field: string) => String(values.get(field) ?? '');
    return { values: { orderQuantity, price, phone: textOf('phone'), address: textOf('address') } };
  },
  send({ client }, values) {
    const { _id: orderId, name } = product;
    const { email: user, name: userName } = viewer;
    const body = { orderId, product: name, user, userName, ...values, orderStatus: '' };
    return client.call('placeOrder', { body, idempotencyKey: getIdempotencyKey(formKey, body) });
  },
  redirectTo: '/dashboard/myOrder',
  doneCode: 'ordered',
});

/** Adds the form's quantity of the product to those in the basket, once per key. */
export const createBasketForm = (
  product: Pick<Product, '_id' | 'o_quantity' | 'a_quantity'>,
  formKey: string,
): ShopForm<{ quantity: number }, Basket> => ({
  // Shares the order form's name, so that form shows these errors.
  name: 'order',
  fields: ['orderQuantity', 'phone', 'address'],
  personalFields: ['address', 'phone'],
  validate(input) {
    const quantity = parseQuantity(product, new Map(Object.entries(input ?? {})).get('orderQuantity'));
    return quantity === undefined ? { errors: { orderQuantity: invalidQuantity } } : { values: { quantity } };
  },
  send({ client }, body) {
    const id = product._id;
    const idempotencyKey = getIdempotencyKey(formKey, ['basket', id, body]);
    return client.call('addToBasket', { params: { id }, body, idempotencyKey });
  },
  redirectTo: `/purchase/${product._id}`,
  doneCode: 'added',
});
