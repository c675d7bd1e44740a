import type { ShopForm } from '../../../../forms/shop-form.ts';

/** Sends another link to confirm the user's email address. */
export const confirmationForm: ShopForm<object> = {
  name: 'confirmation',
  fields: [],
  validate: () => ({ values: {} }),
  send: ({ callIdentity }) => callIdentity('/send-verification-email', {}),
  redirectTo: '/dashboard',
  doneCode: 'confirmation',
};
