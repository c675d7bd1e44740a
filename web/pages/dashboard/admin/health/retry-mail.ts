import type { ShopForm } from '../../../../forms/shop-form.ts';

/** Sends failed messages again. */
export const retryForm: ShopForm<object, { modifiedCount: number }> = {
  name: 'retry-mail',
  fields: [],
  validate: () => ({ values: {} }),
  send: ({ client }) => client.call('retryMail', {}),
  redirectTo: '/dashboard/health',
  doneCode: 'retried',
};

export const retriedMessage =
  'The failed messages are being sent again. Refresh in a minute to see the result.';
