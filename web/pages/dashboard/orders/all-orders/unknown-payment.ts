import { z } from 'zod';
import { id } from '../../../../../contract/fields.ts';
import { unknownOutcome } from '../../../../../contract/orders/unknown-payments.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

const values = z.object({ payment: id, outcome: unknownOutcome.shape.outcome });

/** Settles a payment that is missing from the database. */
export const unknownPaymentForm: ShopForm<z.output<typeof values>> = {
  name: 'unknown-payment',
  fields: ['payment', 'outcome'],
  validate: validateWith(values),
  send: ({ client }, { payment, outcome }) =>
    client.call('settleUnknownPayment', { params: { id: payment }, body: { outcome } }),
  redirectTo: '/dashboard/allOrders',
  doneCode: 'settled',
};
