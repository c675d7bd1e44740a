import { z } from 'zod';
import { parseNumber, parsePieces, seenVersion } from '../../../../../contract/fields.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { shipmentFields } from '../../../../../contract/orders/shipping.ts';
import { canShip, countLeft } from '../../../../../contract/orders/to-ship.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { validateVersioned } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

export const listUnshipped = ({ orders }: Purchase): Order[] => orders.filter(canShip);

/** The order named by `?tracking=`, followed by the other shipped orders whose last parcel is the same. */
export function listParcel({ orders }: Purchase, named: string | null): Order[] {
  const first = orders.find(({ _id, orderStatus }) => _id === named && orderStatus === 'sipping');
  if (!first) return [];
  const findParcel = ({ shipments = [] }: Order) => shipments.at(-1)?._id;
  const isTogether = (order: Order) =>
    order.orderStatus === 'sipping' && findParcel(order) === findParcel(first);
  return [first, ...orders.filter((order) => order !== first && isTogether(order))];
}

/** For a plain post that finds nothing left to ship. */
const shippedMeanwhile = {
  type: 'urn:problem:conflict',
  title: 'Shipped already',
  status: 409,
  detail: 'Another admin has shipped this in the meantime. Correct its tracking instead.',
  requestId: '',
};

const values = shipmentFields.omit({ orderStatus: true }).extend({
  parcel: z.string().describe("An order's id, or '' for all of them."),
  version: seenVersion,
  // A checkbox.
  anyway: z.preprocess((input) => input === 'true', z.boolean()),
});

/** For a number of pieces without saying of which tool. */
const ambiguousPieces = {
  type: 'urn:problem:invalid',
  title: 'Choose one tool',
  status: 422,
  detail: 'Choose one tool to send only some of its pieces.',
  errors: [{ field: 'quantity', message: 'Choose one tool to send only some of its pieces' }],
  requestId: '',
};

/**
 * Ships orders of a purchase as one parcel, or corrects the tracking of a shipped one. A plain post has the `version` of its own
 * page.
 */
export const createShippingForm = (
  number: string,
  orders: readonly Order[],
  version?: number,
): ShopForm<z.output<typeof values>, string | undefined> => ({
  name: 'ship',
  fields: [
    'parcel',
    'quantity',
    'trackingNumber',
    'carrier',
    'trackingUrl',
    'sharedNumber',
    'anyway',
    'version',
  ],
  parse: { quantity: parsePieces, version: parseNumber },
  validate: validateVersioned(values, version),
  /** Returns the id of a new parcel. */
  async send({ client }, { parcel, quantity, version: seen, ...tracking }) {
    const chosen = orders.filter(({ _id }) => parcel === '' || parcel === _id);
    const [first, ...others] = chosen;
    if (!first) throw new ApiError(shippedMeanwhile);
    if (first.orderStatus === 'sipping') {
      const body = { orderStatus: 'sipping', version: seen, ...tracking } as const;
      await client.call('shipOrder', { params: { id: first._id }, body });
      return undefined;
    }
    if (quantity !== undefined && others.length > 0) throw new ApiError(ambiguousPieces);
    const lines = chosen.map((order) => ({ order: order._id, quantity: quantity ?? countLeft(order) }));
    const body = { lines, versions: { [first.purchase]: seen }, ...tracking };
    return (await client.call('shipParcel', { body })).insertedId;
  },
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'shipped',
});
