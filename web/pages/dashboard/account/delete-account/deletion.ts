import { z } from 'zod';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

/** The password may be empty: the server knows whether the account has one. */
const schema = z.object({ password: z.string().default('') });

export const deleteAccountPath = '/dashboard/delete-account';

/** Deletes the user's account for good, which also ends the session. */
export const createDeletionForm = (email: string): ShopForm<z.infer<typeof schema>> => ({
  name: 'delete-account',
  fields: ['password'],
  secretFields: ['password'],
  validate: validateWith(schema),
  send: ({ client }, { password }) => client.call('deleteUser', { params: { email }, body: { password } }),
  redirectTo: '/account-deleted',
});
