import type { ShopForm } from '../../forms/shop-form.ts';

type Values = { wait: 'start' | 'stop' };

/** Requests a message when a product is back in stock, or cancels the request. */
export const createWaitForm = (id: string): ShopForm<Values> => ({
  name: 'wait',
  fields: ['wait'],
  validate: (input) => ({
    values: { wait: new Map(Object.entries(input ?? {})).get('wait') === 'stop' ? 'stop' : 'start' },
  }),
  send: ({ client }, { wait }) =>
    client.call(wait === 'stop' ? 'cancelBackInStock' : 'requestBackInStock', { params: { id } }),
  redirectTo: `/purchase/${id}`,
});
