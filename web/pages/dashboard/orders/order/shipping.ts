import { z } from 'zod';
import { id, parseNumber, parsePieces, quantity, seenVersion } from '../../../../../contract/fields.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { type Parcel, shipmentFields } from '../../../../../contract/orders/shipping.ts';
import { canShip, countLeft } from '../../../../../contract/orders/to-ship.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

export const listUnshipped = ({ orders }: Purchase): Order[] => orders.filter(canShip);

/** The parcel whose tracking is being corrected. `?tracking=` names its order, and `?parcel=` the parcel. */
export function findCorrected({ _id, shipments = [] }: Order, search: URLSearchParams): Parcel | undefined {
  if (search.get('tracking') !== _id) return undefined;
  return shipments.find((parcel) => parcel._id === search.get('parcel'));
}

/** The pieces of a parcel that the page offers, as one hidden field: `order:pieces`, separated by spaces. */
export const formatParcel = (orders: readonly Order[]): string =>
  orders.map((order) => `${order._id}:${countLeft(order)}`).join(' ');

const parseParcel = (text: string): unknown =>
  text.split(' ').map((line) => {
    const [order, pieces] = line.split(':');
    return { order, quantity: parseNumber(pieces) };
  });

const parcelLine = z.object({ order: id, quantity: quantity('Pieces') });
const tracking = shipmentFields.pick({
  trackingNumber: true,
  carrier: true,
  trackingUrl: true,
  sharedNumber: true,
});
const trackingFields = ['trackingNumber', 'carrier', 'trackingUrl', 'sharedNumber', 'version'] as const;

const parcel = tracking
  .extend({
    parcel: z.string().describe("An order's id, or '' for all of them."),
    quantity: shipmentFields.shape.quantity,
    lines: z.array(parcelLine),
    purchase: id,
    version: seenVersion,
    // Ship although the bank has taken the money back. A checkbox.
    anyway: z.preprocess((input) => input === 'true', z.boolean()),
  })
  .transform(({ parcel: chosen, quantity: pieces, lines, ...rest }, { addIssue }) => {
    const sent = lines.filter(({ order }) => chosen === '' || chosen === order);
    if (pieces === undefined || sent.length === 1)
      return { ...rest, lines: sent.map((line) => ({ ...line, quantity: pieces ?? line.quantity })) };
    const message = 'Choose one tool to send only some of its pieces';
    addIssue({ code: 'custom', path: ['quantity'], message });
    return z.NEVER;
  });

/** Ships orders of a purchase as one parcel, whose id `send` returns. */
export const shipForm = defineForm({
  name: 'ship',
  fields: ['parcel', 'quantity', ...trackingFields, 'anyway', 'lines', 'purchase'],
  access: 'admin',
  parse: { quantity: parsePieces, lines: parseParcel, version: parseNumber },
  validate: validateWith(parcel),
  async send({ client }, { purchase, version, ...others }: z.output<typeof parcel>) {
    const body = { versions: { [purchase]: version }, ...others };
    return (await client.call('shipParcel', { body })).insertedId;
  },
  donePage: (_, params) => `${orderPages}/${params.id}?done=shipped`,
});

const correction = tracking.extend({ order: id, shipment: id, version: seenVersion });

/** Corrects the tracking of a parcel. */
export const trackingForm = defineForm({
  name: 'tracking',
  fields: [...trackingFields, 'order', 'shipment'],
  access: 'admin',
  parse: { version: parseNumber },
  validate: validateWith(correction),
  async send({ client }, { order, ...others }: z.output<typeof correction>) {
    const body = { orderStatus: 'sipping', ...others } as const;
    await client.call('shipOrder', { params: { id: order }, body });
    return undefined;
  },
  donePage: (_, params) => `${orderPages}/${params.id}?done=shipped`,
});
