import { z } from 'zod';
import { parseNumber, seenVersion } from '../../../../../contract/fields.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { shipmentFields } from '../../../../../contract/orders/shipping.ts';
import { isToShip } from '../../../../../contract/orders/to-ship.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { validateVersioned } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

export const listUnshipped = ({ orders }: Purchase): Order[] => orders.filter(isToShip);

/** The order named by `?tracking=`, followed by the shipped orders with the same tracking. */
export function listParcel({ orders }: Purchase, named: string | null): Order[] {
  const first = orders.find(({ _id, orderStatus }) => _id === named && orderStatus === 'sipping');
  if (!first) return [];
  const isTogether = (order: Order) =>
    order.orderStatus === 'sipping' &&
    order.carrier === first.carrier &&
    order.trackingNumber === first.trackingNumber &&
    order.trackingUrl === first.trackingUrl;
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
});

/** Ships orders of a purchase with one tracking number, or corrects it. A plain post has the `version` of its own page. */
export const createShippingForm = (
  number: string,
  orders: readonly Order[],
  version?: number,
): ShopForm<z.output<typeof values>> => ({
  name: 'ship',
  fields: ['parcel', 'trackingNumber', 'carrier', 'trackingUrl', 'sharedNumber', 'version'],
  parse: { version: parseNumber },
  validate: validateVersioned(values, version),
  async send({ client }, { parcel, version: seen, ...tracking }) {
    // One at a time: if one fails, those before it are shipped, and the form offers the others again.
    const chosen = orders.filter(({ _id }) => parcel === '' || parcel === _id);
    if (chosen.length === 0) throw new ApiError(shippedMeanwhile);
    let version = seen;
    for (const { _id: id } of chosen)
      ({ version } = await client.call('shipOrder', {
        params: { id },
        body: { orderStatus: 'sipping', version, ...tracking },
      }));
  },
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'shipped',
});
