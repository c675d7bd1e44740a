import type { Viewer } from '../../../contract/pages.ts';
import type { Product } from '../../../contract/products.ts';
import { keyOf } from '../../client/idempotency.ts';
import type { ShopForm } from '../../forms/shop-form.ts';

export const orderPlaced = 'Add your product Successfully';
export const wrongQuantity = 'plz Input the write value';

type Filled = { orderQuantity: number; price: number; phone: string; address: string };

/** Reads a typed quantity; undefined if it is not allowed in one order of this product. */
export function readQuantity(
  { o_quantity: least, a_quantity: most }: Product,
  typed: unknown,
): number | undefined {
  const text = String(typed ?? '').trim();
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return count >= least && count <= most ? count : undefined;
}

/** In hundredths, since 0.1 + 0.2 is not 0.3. */
export const totalOf = (price: number, count: number): number => (Math.round(price * 100) * count) / 100;

/** Orders a product at the unit price that the form showed. */
export const orderForm = (product: Product, viewer: Viewer, formKey: string): ShopForm<Filled> => ({
  name: 'order',
  fields: ['orderQuantity', 'price', 'phone', 'address'],
  judge(typed) {
    const filled = new Map(Object.entries(typed ?? {}));
    const orderQuantity = readQuantity(product, filled.get('orderQuantity'));
    if (orderQuantity === undefined) return { errors: { orderQuantity: wrongQuantity } };
    const price = totalOf(Number(filled.get('price')), orderQuantity);
    const textOf = (field: string) => String(filled.get(field) ?? '');
    return { values: { orderQuantity, price, phone: textOf('phone'), address: textOf('address') } };
  },
  send({ client }, filled) {
    const { _id: orderId, name } = product;
    const { email: user, name: userName } = viewer;
    const body = { orderId, product: name, user, userName, ...filled, orderStatus: '' };
    return client.call('placeOrder', { body, idempotencyKey: keyOf(formKey, body) });
  },
  next: '/dashboard/myOrder',
  done: 'ordered',
});
