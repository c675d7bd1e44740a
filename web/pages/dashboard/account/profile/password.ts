import { z } from 'zod';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';
import { password } from '../../../sign-in/forms.ts';

const schema = z.object({
  currentPassword: z.string().min(1, 'Current password is Required'),
  newPassword: password,
});

/** Changes the password, which ends the user's other sessions and renews this one. */
export const passwordForm: ShopForm<z.infer<typeof schema>> = {
  name: 'password',
  fields: ['currentPassword', 'newPassword'],
  secretFields: ['currentPassword', 'newPassword'],
  validate: validateWith(schema),
  send: ({ callIdentity }, values) => callIdentity('/change-password', values),
  redirectTo: '/dashboard',
  doneCode: 'password',
};
