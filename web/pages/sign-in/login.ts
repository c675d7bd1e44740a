import { z } from 'zod';
import { email } from '../../../contract/fields.ts';
import { readReturnPath } from '../../client/route-access.ts';
import { validateWith } from '../../forms/form-validation.ts';
import type { ShopForm } from '../../forms/shop-form.ts';
import { password } from './password.ts';

const schema = z.object({ email, password });

/** Signs in, then continues to the path in `?from=`. */
export const loginForm = (search: URLSearchParams): ShopForm<z.infer<typeof schema>> => ({
  name: 'login',
  fields: ['email', 'password'],
  secretFields: ['password'],
  validate: validateWith(schema),
  send: ({ callIdentity }, credentials) => callIdentity('/sign-in/email', credentials),
  redirectTo: readReturnPath(search),
});
