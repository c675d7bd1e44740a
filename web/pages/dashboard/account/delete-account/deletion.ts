import { z } from 'zod';
import { accountDeletedPage } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

/** The password may be empty: the server knows whether the account has one. */
const values = z.object({ email: z.string(), password: z.string() });

/** Deletes the user's account for good, which also ends the session. */
export const deletionForm = defineForm({
  name: 'delete-account',
  fields: ['password', 'email'],
  secretFields: ['password'],
  access: 'user',
  validate: validateWith(values),
  send: ({ client }, { email, password }: z.output<typeof values>) =>
    client.call('deleteUser', { params: { email }, body: { password } }),
  donePage: () => accountDeletedPage,
});
