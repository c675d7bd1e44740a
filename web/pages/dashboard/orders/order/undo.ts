import { z } from 'zod';
import { id } from '../../../../../contract/fields.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

const values = z.object({ shipment: id });

/** Takes a parcel of a purchase back. */
export const createUndoForm = (number: string): ShopForm<z.output<typeof values>> => ({
  name: 'undo',
  fields: ['shipment'],
  validate: validateWith(values),
  send: ({ client }, { shipment }) => client.call('undoShipment', { params: { id: shipment } }),
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'undone',
});
