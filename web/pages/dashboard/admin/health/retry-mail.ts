import { healthPage } from '../../../../../contract/page-addresses.ts';
import { defineForm } from '../../../../forms/page-form.ts';

/** Sends failed messages again. */
export const retryForm = defineForm({
  name: 'retry-mail',
  fields: [],
  access: 'admin',
  validate: () => ({ values: undefined }),
  send: ({ client }) => client.call('retryMail', {}),
  donePage: () => `${healthPage}?done=retried`,
});

export const retriedMessage =
  'The failed messages are being sent again. Refresh in a minute to see the result.';
