import { defineForm } from '../../../../forms/page-form.ts';

/** The index page of the dashboard: without `?index`, a post would go to the layout route around it. */
export const profilePath = '/dashboard?index';

/** Sends another link to confirm the user's email address. */
export const confirmationForm = defineForm({
  name: 'confirmation',
  fields: [],
  access: 'user',
  validate: () => ({ values: undefined }),
  send: ({ callIdentity }) => callIdentity('/send-verification-email', {}),
  donePage: () => '/dashboard?done=confirmation',
});
