import type { Basket } from '../../../../contract/orders/purchases.ts';
import type { ShopForm } from '../../../forms/shop-form.ts';

/** Puts the tools of a purchase into the basket again, and opens the basket, which shows what has changed. */
export const createAgainForm = (number: string): ShopForm<undefined, Basket> => ({
  name: 'again',
  fields: [],
  validate: () => ({ values: undefined }),
  send: ({ client }) => client.call('orderAgain', { params: { id: number } }),
  redirectTo: '/basket',
  doneCode: 'again',
});
