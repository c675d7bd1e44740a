import type { ShopForm } from '../../../../forms/shop-form.ts';

/** Sends the link that confirms the user's address again. */
export const confirmationForm: ShopForm<object> = {
  name: 'confirmation',
  fields: [],
  validate: () => ({ values: {} }),
  send: ({ callIdentity }) => callIdentity('/send-verification-email', {}),
  redirectTo: '/dashboard',
  doneCode: 'confirmation',
};
