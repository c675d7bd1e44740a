import type { z } from 'zod';
import { newNote } from '../../../../../contract/orders/shipping.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

/** Adds a note to a purchase, through one of its orders. */
export const createNoteForm = (
  number: string,
  order: string,
  formKey: string,
): ShopForm<z.output<typeof newNote>> => ({
  name: 'note',
  fields: ['text'],
  validate: validateWith(newNote),
  send: ({ client }, body) =>
    client.call('addOrderNote', {
      params: { id: order },
      body,
      idempotencyKey: getIdempotencyKey(formKey, body),
    }),
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'noted',
});
