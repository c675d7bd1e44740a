import { basketPage } from '../../../../contract/page-addresses.ts';
import { defineForm, textOf } from '../../../forms/page-form.ts';

/** Puts the tools of a purchase into the basket again, and opens the basket, which shows what has changed. */
export const againForm = defineForm({
  name: 'again',
  fields: ['number'],
  access: 'user',
  validate: (input) => ({ values: textOf(input, 'number') }),
  send: ({ client }, id: string) => client.call('orderAgain', { params: { id } }),
  donePage: () => `${basketPage}?done=again`,
});
