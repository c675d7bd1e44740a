import type { z } from 'zod';
import { parseNumber } from '../../../../../contract/fields.ts';
import { deliveryChange, type Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

/** Corrects the delivery details of a purchase. */
export const deliveryForm = defineForm({
  name: 'delivery',
  fields: ['name', 'address', 'phone', 'version'],
  personalFields: ['name', 'address', 'phone'],
  access: 'user',
  parse: { version: parseNumber },
  validate: validateWith(deliveryChange),
  send: ({ client, params }, body: z.output<typeof deliveryChange>) =>
    client.call('changeDelivery', { params: { id: params.id ?? '' }, body }),
  donePage: ({ params }) => `/dashboard/orders/${params.id}?done=delivery`,
});

/** Whether the viewer can correct the delivery details: an admin, or the customer until a piece is shipped. */
export function canChangeDelivery({ orders }: Purchase, { role, email }: Viewer): boolean {
  if (orders.some(({ orderStatus }) => orderStatus === 'expired')) return false;
  return role === 'admin' || orders.every(({ user, shippedQuantity }) => user === email && !shippedQuantity);
}
