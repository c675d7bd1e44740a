import type { ShopForm } from '../../../forms/shop-form.ts';

/** Deletes an unpaid order, as a plain post. The page's script calls `deleteOrder` itself. */
export const deleteForm: ShopForm<{ id: string }> = {
  name: 'delete',
  fields: ['order'],
  // The call checks it.
  judge: (typed) => ({ values: { id: String(new Map(Object.entries(typed ?? {})).get('order') ?? '') } }),
  send: ({ client }, params) => client.call('deleteOrder', { params }),
  next: '/dashboard/myOrder',
  done: 'deleted',
};
