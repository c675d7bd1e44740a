import type { z } from 'zod';
import { id, parseNumber } from '../../../../../contract/fields.ts';
import { lateSettlement } from '../../../../../contract/orders/unknown-payments.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

const values = lateSettlement.extend({ payment: id });

/** Accepts or refunds the late payment of a purchase. */
export const lateForm = defineForm({
  name: 'late',
  fields: ['payment', 'outcome', 'version'],
  access: 'admin',
  parse: { version: parseNumber },
  validate: validateWith(values),
  send: ({ client }, { payment, ...body }: z.output<typeof values>) =>
    client.call('settleLatePayment', { params: { id: payment }, body }),
  donePage: (_, params) => `${orderPages}/${params.id}?done=settled`,
});
