import type { z } from 'zod';
import { parseNumber } from '../../../../../contract/fields.ts';
import { deliveryChange, type Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { validateVersioned } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

/** Corrects the delivery details of a purchase. A plain post has the `version` of its own page. */
export const createDeliveryForm = (
  number: string,
  version?: number,
): ShopForm<z.output<typeof deliveryChange>> => ({
  name: 'delivery',
  fields: ['name', 'address', 'phone', 'version'],
  personalFields: ['name', 'address', 'phone'],
  parse: { version: parseNumber },
  validate: validateVersioned(deliveryChange, version),
  send: ({ client }, body) => client.call('changeDelivery', { params: { id: number }, body }),
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'delivery',
});

/** Whether the viewer can correct the delivery details: an admin, or the customer until a piece is shipped. */
export function canChangeDelivery({ orders }: Purchase, { role, email }: Viewer): boolean {
  if (orders.some(({ orderStatus }) => orderStatus === 'expired')) return false;
  return role === 'admin' || orders.every(({ user, shippedQuantity }) => user === email && !shippedQuantity);
}
