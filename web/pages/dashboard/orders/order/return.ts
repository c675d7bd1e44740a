import type { z } from 'zod';
import { id, parseNumber, parsePieces } from '../../../../../contract/fields.ts';
import { newReturn } from '../../../../../contract/orders/shipping.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

const values = newReturn.extend({ order: id });

/** Puts pieces of an order back into stock. */
export const returnForm = defineForm({
  name: 'return',
  fields: ['quantity', 'order', 'version'],
  access: 'admin',
  parse: { quantity: parsePieces, version: parseNumber },
  validate: validateWith(values),
  send: ({ client }, { order, ...body }: z.output<typeof values>) =>
    client.call('recordReturn', { params: { id: order }, body }),
  donePage: (_, params) => `${orderPages}/${params.id}?done=returned`,
});
