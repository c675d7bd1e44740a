import type { z } from 'zod';
import { parseNumber, parsePieces } from '../../../../../contract/fields.ts';
import { newReturn } from '../../../../../contract/orders/shipping.ts';
import { validateVersioned } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

/** Puts pieces of an order back into stock. A plain post has the `version` of its own page. */
export const createReturnForm = (
  number: string,
  order: string,
  version?: number,
): ShopForm<z.output<typeof newReturn>> => ({
  name: 'return',
  fields: ['quantity', 'version'],
  parse: { quantity: parsePieces, version: parseNumber },
  validate: validateVersioned(newReturn, version),
  send: ({ client }, body) => client.call('recordReturn', { params: { id: order }, body }),
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'returned',
});
