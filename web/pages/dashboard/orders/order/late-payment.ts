import type { z } from 'zod';
import { id, parseNumber } from '../../../../../contract/fields.ts';
import { lateSettlement } from '../../../../../contract/orders/unknown-payments.ts';
import { validateVersioned } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

const values = lateSettlement.extend({ payment: id });

/** Accepts or refunds the late payment of a purchase. A plain post has the `version` of its own page. */
export const createLateForm = (number: string, version?: number): ShopForm<z.output<typeof values>> => ({
  name: 'late',
  fields: ['payment', 'outcome', 'version'],
  parse: { version: parseNumber },
  validate: validateVersioned(values, version),
  send: ({ client }, { payment, ...body }) =>
    client.call('settleLatePayment', { params: { id: payment }, body }),
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'settled',
});
