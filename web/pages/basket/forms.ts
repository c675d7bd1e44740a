import type { Basket } from '../../../contract/orders/purchases.ts';
import { basketPage } from '../../../contract/page-addresses.ts';
import { getIdempotencyKey } from '../../client/api/idempotency.ts';
import { defineForm, textOf } from '../../forms/page-form.ts';
import { calculateTotal, getOrderedPage, invalidQuantity } from '../purchase/order.ts';

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

type LineValues = { id: string; quantity: number | undefined };

/** Sets the quantity of a line or removes it, as a plain post. The page's script saves quantities while they are typed. */
export const lineForm = defineForm({
  name: 'line',
  fields: ['product', 'quantity', 'set', 'remove'],
  access: 'user',
  validate(input) {
    const id = textOf(input, 'product');
    if (textOf(input, 'remove')) return { values: { id, quantity: undefined } };
    const typed = (textOf(input, 'set') || textOf(input, 'quantity')).trim();
    if (!/^\d+$/.test(typed)) return { errors: { quantity: invalidQuantity } };
    return { values: { id, quantity: Number(typed) } };
  },
  async send({ client }, { id, quantity }: LineValues) {
    const params = { id };
    if (quantity === undefined) await client.call('removeBasketLine', { params });
    else await client.call('setBasketLine', { params, body: { quantity } });
  },
  donePage: () => `${basketPage}?done=changed`,
});

type PlaceValues = { lines: ShownLine[]; phone: string; address: string };

/** Orders the basket as the page showed it, at the total that it showed. */
export const placeForm = defineForm({
  name: 'place',
  fields: ['lines', 'phone', 'address'],
  personalFields: ['address', 'phone'],
  access: 'user',
  validate: (input) => ({
    values: {
      lines: parseLines(textOf(input, 'lines')),
      phone: textOf(input, 'phone'),
      address: textOf(input, 'address'),
    },
  }),
  send({ client, key }, { lines, phone, address }: PlaceValues) {
    const body = {
      lines: lines.map(({ orderId, orderQuantity }) => ({ orderId, orderQuantity })),
      price: sumLines(lines),
      phone,
      address,
    };
    return client.call('placePurchase', { body, idempotencyKey: getIdempotencyKey(key, body) });
  },
  donePage: ({ orders: [first = ''] }) => getOrderedPage(first),
});
