import { z } from 'zod';
import { id, parseNumber, parsePieces, quantity, seenVersion } from '../../../../../contract/fields.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { validateVersioned } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

const values = z.object({
  refund: id,
  order: z.string('Choose a tool').min(1, 'Choose a tool'),
  quantity: quantity('Pieces refunded', 0).optional(),
  restock: quantity('Pieces to return to stock', 0).optional(),
  version: seenVersion,
});

/** Assigns the whole amount of a refund that was made at the provider to one order of the purchase. */
export const createAssignForm = (
  { number, unassignedRefunds = [] }: Purchase,
  version?: number,
): ShopForm<z.output<typeof values>> => ({
  name: 'assign',
  fields: ['refund', 'order', 'quantity', 'restock', 'version'],
  parse: { quantity: parsePieces, restock: parsePieces, version: parseNumber },
  validate: validateVersioned(values, version),
  send({ client }, { refund, order, quantity: pieces = 0, restock = 0, version: seen }) {
    const amount = unassignedRefunds.find(({ _id }) => _id === refund)?.amount ?? 0;
    return client.call('assignRefund', {
      params: { id: refund },
      body: { version: seen, lines: [{ order, amount, quantity: pieces, restock }] },
    });
  },
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'assigned',
});
