import type { Basket } from '../../../contract/orders/purchases.ts';
import { getIdempotencyKey } from '../../client/api/idempotency.ts';
import type { ShopForm } from '../../forms/shop-form.ts';
import { calculateTotal, invalidQuantity } from '../purchase/order.ts';

/** A line as the page showed it; `price` is the unit price, 0 if the product is gone. */
export type ShownLine = { orderId: string; orderQuantity: number; price: number };

export const listShownLines = ({ lines }: Basket): ShownLine[] =>
  lines.map(({ product, quantity }) => ({
    orderId: product._id,
    orderQuantity: quantity,
    price: product.price ?? 0,
  }));

/** Sums in hundredths, because floats are inexact. */
export const sumLines = (lines: readonly ShownLine[]): number =>
  lines.reduce((sum, line) => sum + Math.round(calculateTotal(line.price, line.orderQuantity) * 100), 0) /
  100;

/** The lines as one hidden field: `id quantity price` per line. */
export const formatLines = (lines: readonly ShownLine[]): string =>
  lines.map(({ orderId, orderQuantity, price }) => `${orderId} ${orderQuantity} ${price}`).join('\n');

export const parseLines = (text: string): ShownLine[] =>
  text.split('\n').flatMap((line) => {
    const [orderId, orderQuantity, price] = line.trim().split(' ');
    return orderId ? [{ orderId, orderQuantity: Number(orderQuantity), price: Number(price) }] : [];
  });

/** The unsaved quantities, by product, as one field. */
export const formatEdits = (edits: ReadonlyMap<string, { text: string }>): string =>
  new URLSearchParams([...edits].map(([id, { text }]) => [id, text])).toString();

export const parseEdits = (text: string) => new URLSearchParams(text);

const toValues = (input: unknown) => {
  const values = new Map(Object.entries(input ?? {}));
  return (field: string) => String(values.get(field) ?? '');
};

/** Sets the quantity of a line or removes it, as a plain post. The page's script makes the calls itself. */
export const lineForm: ShopForm<{ id: string; quantity: number | undefined }> = {
  name: 'line',
  fields: ['product', 'quantity', 'set', 'remove'],
  validate(input) {
    const textOf = toValues(input);
    const id = textOf('product');
    if (textOf('remove')) return { values: { id, quantity: undefined } };
    const typed = (textOf('set') || textOf('quantity')).trim();
    if (!/^\d+$/.test(typed)) return { errors: { quantity: invalidQuantity } };
    return { values: { id, quantity: Number(typed) } };
  },
  async send({ client }, { id, quantity }) {
    const params = { id };
    if (quantity === undefined) await client.call('removeBasketLine', { params });
    else await client.call('setBasketLine', { params, body: { quantity } });
  },
  redirectTo: '/basket',
  doneCode: 'changed',
};

export type PlaceValues = { lines: ShownLine[]; phone: string; address: string };

/** Orders the basket as the page showed it, at the total that it showed. */
export const createPlaceForm = (formKey: string): ShopForm<PlaceValues> => ({
  name: 'place',
  fields: ['lines', 'phone', 'address'],
  personalFields: ['address', 'phone'],
  validate(input) {
    const textOf = toValues(input);
    const lines = parseLines(textOf('lines'));
    return { values: { lines, phone: textOf('phone'), address: textOf('address') } };
  },
  send({ client }, { lines, phone, address }) {
    const body = {
      lines: lines.map(({ orderId, orderQuantity }) => ({ orderId, orderQuantity })),
      ...{ price: sumLines(lines), phone, address },
    };
    return client.call('placePurchase', { body, idempotencyKey: getIdempotencyKey(formKey, body) });
  },
  redirectTo: '/dashboard/myOrder',
  doneCode: 'ordered',
});
