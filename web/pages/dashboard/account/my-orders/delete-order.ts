import { myOrdersPage } from '../../../../../contract/page-addresses.ts';
import { defineForm, textOf } from '../../../../forms/page-form.ts';

/** Deletes an unpaid order. The dialog of the page's script calls `deleteOrder` itself. */
export const deleteForm = defineForm({
  name: 'delete',
  fields: ['order'],
  access: 'user',
  validate: (input) => ({ values: textOf(input, 'order') }),
  send: ({ client }, id: string) => client.call('deleteOrder', { params: { id } }),
  donePage: () => `${myOrdersPage}?done=deleted`,
});
