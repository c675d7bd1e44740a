import { z } from 'zod';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { shipment } from '../../../../../contract/orders/shipping.ts';
import { isToShip } from '../../../../../contract/orders/to-ship.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
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

const values = shipment
  .omit({ orderStatus: true, refunded: true })
  .extend({ parcel: z.string().describe("An order's id, or '' for all of them.") });

/** Ships orders of a purchase with one tracking number, or corrects it. */
export const createShippingForm = (
  number: string,
  orders: readonly Order[],
): ShopForm<z.output<typeof values>> => ({
  name: 'ship',
  fields: ['parcel', 'trackingNumber', 'carrier', 'trackingUrl', 'sharedNumber'],
  validate: validateWith(values),
  async send({ client }, { parcel, ...tracking }) {
    // One at a time: if one fails, those before it are shipped, and the form offers the others again.
    const chosen = orders.filter(({ _id }) => parcel === '' || parcel === _id);
    if (chosen.length === 0) throw new ApiError(shippedMeanwhile);
    for (const { _id: id, refunded } of chosen)
      await client.call('shipOrder', {
        params: { id },
        body: { orderStatus: 'sipping', refunded, ...tracking },
      });
  },
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'shipped',
});
