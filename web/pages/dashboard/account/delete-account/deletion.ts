import { z } from 'zod';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

/** The password may be empty: the server knows whether the account has one. */
const values = z.object({ email: z.string(), password: z.string() });

export const deleteAccountPath = '/dashboard/delete-account';
export const accountDeletedPath = '/account-deleted';

/** Deletes the user's account for good, which also ends the session. */
export const deletionForm = defineForm({
  name: 'delete-account',
  fields: ['password', 'email'],
  secretFields: ['password'],
  access: 'user',
  validate: validateWith(values),
  send: ({ client }, { email, password }: z.output<typeof values>) =>
    client.call('deleteUser', { params: { email }, body: { password } }),
  donePage: () => accountDeletedPath,
});
