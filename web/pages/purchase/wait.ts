import { purchasePages } from '../../../contract/page-addresses.ts';
import { defineForm, textOf } from '../../forms/page-form.ts';

type Wait = { id: string; stops: boolean };

/** Requests a message when a product is back in stock, or cancels the request. */
export const waitForm = defineForm({
  name: 'wait',
  fields: ['product', 'wait'],
  access: 'user',
  validate: (input) => ({
    values: { id: textOf(input, 'product'), stops: textOf(input, 'wait') === 'stop' },
  }),
  send: ({ client }, { id, stops }: Wait) =>
    client.call(stops ? 'cancelBackInStock' : 'requestBackInStock', { params: { id } }),
  donePage: (_, params) => `${purchasePages}/${params.productId}`,
});
