import type { z } from 'zod';
import { id } from '../../../../../contract/fields.ts';
import { newNote } from '../../../../../contract/orders/shipping.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

const values = newNote.extend({ order: id });

/** Adds a note to a purchase, through one of its orders. */
export const noteForm = defineForm({
  name: 'note',
  fields: ['text', 'order'],
  access: 'admin',
  validate: validateWith(values),
  send: ({ client, key }, { order, ...body }: z.output<typeof values>) =>
    client.call('addOrderNote', {
      params: { id: order },
      body,
      idempotencyKey: getIdempotencyKey(key, body),
    }),
  donePage: (_, params) => `${orderPages}/${params.id}?done=noted`,
});
