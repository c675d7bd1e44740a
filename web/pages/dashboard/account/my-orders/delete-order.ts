import type { ShopForm } from '../../../../forms/shop-form.ts';

/** Deletes an unpaid order, as a plain post. The page's script calls `deleteOrder` itself. */
export const deleteForm: ShopForm<{ id: string }> = {
  name: 'delete',
  fields: ['order'],
  // The call validates the id.
  validate: (input) => ({ values: { id: String(new Map(Object.entries(input ?? {})).get('order') ?? '') } }),
  send: ({ client }, params) => client.call('deleteOrder', { params }),
  redirectTo: '/dashboard/myOrder',
  doneCode: 'deleted',
};
