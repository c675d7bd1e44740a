import { z } from 'zod';
import { dashboardPage } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';
import { password } from '../../../sign-in/forms.ts';

const values = z.object({
  currentPassword: z.string().min(1, 'Current password is Required'),
  newPassword: password,
});

/** Changes the password, which ends the user's other sessions and renews this one. */
export const passwordForm = defineForm({
  name: 'password',
  fields: ['currentPassword', 'newPassword'],
  secretFields: ['currentPassword', 'newPassword'],
  access: 'user',
  validate: validateWith(values),
  send: ({ callIdentity }, passwords: z.output<typeof values>) => callIdentity('/change-password', passwords),
  donePage: () => `${dashboardPage}?done=password`,
});
