import { z } from 'zod';
import { newEmail } from '../../../../../contract/fields.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

/** The password may be empty: the server knows whether the account has one. */
const schema = z.object({ newEmail, password: z.string().default('') });

/** Sends a link that changes the account's email address to the new address. */
export const emailForm: ShopForm<z.infer<typeof schema>> = {
  name: 'email',
  fields: ['newEmail', 'password'],
  secretFields: ['password'],
  personalFields: ['newEmail'],
  validate: validateWith(schema),
  send: ({ callIdentity }, values) => callIdentity('/request-email-change', values),
  redirectTo: '/dashboard',
  doneCode: 'email',
};
