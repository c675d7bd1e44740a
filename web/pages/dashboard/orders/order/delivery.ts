import { z } from 'zod';
import { id, parseNumber } from '../../../../../contract/fields.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { deliveryChange, type Purchase } from '../../../../../contract/orders/purchases.ts';
import { orderPages, paymentPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import type { LinkProps } from '../../../../components/link.tsx';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

const values = deliveryChange.extend({ purchase: id, openedOn: z.enum(['', 'payment']) });

/** Corrects the delivery details of a purchase. */
export const deliveryForm = defineForm({
  name: 'delivery',
  fields: ['name', 'address', 'phone', 'purchase', 'version', 'openedOn'],
  personalFields: ['name', 'address', 'phone'],
  access: 'user',
  parse: { version: parseNumber },
  validate: validateWith(values),
  async send({ client }, { purchase, openedOn, ...body }: z.output<typeof values>) {
    await client.call('changeDelivery', { params: { id: purchase }, body });
    return openedOn === 'payment' ? paymentPages : orderPages;
  },
  donePage: (pages, params) => `${pages}/${params.id}?done=delivery`,
});

/** Whether the viewer can correct the delivery details: an admin, or the customer until a piece is shipped. */
export function canChangeDelivery({ orders }: Pick<Purchase, 'orders'>, { role, email }: Viewer): boolean {
  if (orders.some(({ orderStatus }) => orderStatus === 'expired')) return false;
  return role === 'admin' || orders.every(({ user, shippedQuantity }) => user === email && !shippedQuantity);
}

/**
 * The properties of a link to the form for the delivery details. `isAtCheckout` is true as long as the customer chooses them at the
 * checkout, so that the address is not asked for twice.
 */
export const toDeliveryForm = (
  { _id, number }: Pick<Order, '_id' | 'number'>,
  isAtCheckout: boolean,
): Pick<LinkProps, 'to' | 'target'> =>
  isAtCheckout
    ? // Loads a new document: only payment pages' security policy allows the provider.
      { to: `${paymentPages}/${_id}?edit=checkout`, target: '_self' }
    : { to: `${orderPages}/${number}?edit=delivery` };

/** When the name, address or phone of a purchase with a chosen delivery was last changed after the payment. */
export function findAddressChange({ orders, rate, paidAt }: Purchase): string | undefined {
  if (rate === undefined || paidAt === undefined) return undefined;
  const history = orders[0]?.history ?? [];
  return history.findLast(({ what, at }) => what === 'delivery_changed' && at > paidAt)?.at;
}
