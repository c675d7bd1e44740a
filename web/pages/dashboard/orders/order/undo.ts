import { orderPages } from '../../../../../contract/page-addresses.ts';
import { defineForm, textOf } from '../../../../forms/page-form.ts';

/** Takes a parcel of a purchase back. */
export const undoForm = defineForm({
  name: 'undo',
  fields: ['shipment'],
  access: 'admin',
  validate: (input) => ({ values: textOf(input, 'shipment') }),
  send: ({ client }, id: string) => client.call('undoShipment', { params: { id } }),
  donePage: (_, params) => `${orderPages}/${params.id}?done=undone`,
});
