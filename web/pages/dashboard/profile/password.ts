import { z } from 'zod';
import { judgeBy } from '../../../forms/schema.ts';
import type { ShopForm } from '../../../forms/shop-form.ts';
import { password } from '../../entrance/password.ts';

const schema = z.object({
  currentPassword: z.string().min(1, 'Current password is Required'),
  newPassword: password,
});

/** A new password. It ends the person's other sessions and renews this one. */
export const passwordForm: ShopForm<z.infer<typeof schema>> = {
  name: 'password',
  fields: ['currentPassword', 'newPassword'],
  secrets: ['currentPassword', 'newPassword'],
  judge: judgeBy(schema),
  send: ({ askIdentity }, filled) => askIdentity('/change-password', filled),
  next: '/dashboard',
  done: 'password',
};
