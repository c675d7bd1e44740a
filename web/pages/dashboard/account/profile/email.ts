import { z } from 'zod';
import { newEmail } from '../../../../../contract/fields.ts';
import { dashboardPage } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

/** The password may be empty: the server knows whether the account has one. */
const values = z.object({ newEmail, password: z.string() });

/** Sends a link that changes the account's email address to the new address. */
export const emailForm = defineForm({
  name: 'email',
  fields: ['newEmail', 'password'],
  secretFields: ['password'],
  personalFields: ['newEmail'],
  access: 'user',
  validate: validateWith(values),
  send: ({ callIdentity }, change: z.output<typeof values>) => callIdentity('/request-email-change', change),
  donePage: () => `${dashboardPage}?done=email`,
});
