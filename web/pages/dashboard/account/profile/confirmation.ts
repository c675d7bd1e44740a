import { dashboardPage } from '../../../../../contract/page-addresses.ts';
import { defineForm } from '../../../../forms/page-form.ts';

/** Sends another link to confirm the user's email address. */
export const confirmationForm = defineForm({
  name: 'confirmation',
  fields: [],
  access: 'user',
  validate: () => ({ values: undefined }),
  send: ({ callIdentity }) => callIdentity('/send-verification-email', {}),
  donePage: () => `${dashboardPage}?done=confirmation`,
});
