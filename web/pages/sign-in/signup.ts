import { z } from 'zod';
import { email, text } from '../../../contract/fields.ts';
import { readReturnPath } from '../../client/route-access.ts';
import { validateWith } from '../../forms/form-validation.ts';
import type { ShopForm } from '../../forms/shop-form.ts';
import { password } from './password.ts';

const schema = z.object({ name: text('Name', 100), email, password });

/** As specified, sign-up leads to Products, which then links to the page that the visitor came from. */
export function getSignupRedirect(search: URLSearchParams): string {
  const from = readReturnPath(search, '/products');
  return from === '/products' ? from : `/products?from=${encodeURIComponent(from)}`;
}

/** Creates an account and signs in with it. */
export const signupForm = (search: URLSearchParams): ShopForm<z.infer<typeof schema>> => ({
  name: 'signup',
  fields: ['name', 'email', 'password'],
  secretFields: ['password'],
  validate: validateWith(schema),
  send: ({ callIdentity }, credentials) => callIdentity('/sign-up/email', credentials),
  redirectTo: getSignupRedirect(search),
});
