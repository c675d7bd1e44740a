import { z } from 'zod';
import { newEmail, text, typedEmail } from '../../../contract/fields.ts';
import { readReturnPath } from '../../client/route-access.ts';
import { validateWith } from '../../forms/form-validation.ts';
import type { ShopForm } from '../../forms/shop-form.ts';

/** The specified rules. The server also rejects the most common passwords. */
export const password = z.string().min(1, 'Password is Required').min(6, 'Must be 6 characters or longer');

export const passwordHint = 'At least 6 characters; 8 or more are better.';

const forgotSchema = z.object({ email: typedEmail });

/** Requests a message with a link to `/reset-password`. */
export const forgotForm: ShopForm<z.infer<typeof forgotSchema>> = {
  name: 'forgot',
  fields: ['email'],
  validate: validateWith(forgotSchema),
  send: ({ callIdentity }, values) => callIdentity('/request-password-reset', values),
  redirectTo: '/forgot-password',
  doneCode: 'sent',
};

const resetSchema = z.object({ newPassword: password });

/** Whether the link in a message also undoes a change of the address. */
export const isUndo = (search: URLSearchParams): boolean => search.has('undo');

/** Sets a new password with the token in `?token=`, which ends all sessions. */
export const createResetForm = (search: URLSearchParams): ShopForm<z.infer<typeof resetSchema>> => ({
  name: 'reset',
  fields: ['newPassword'],
  secretFields: ['newPassword'],
  validate: validateWith(resetSchema),
  send: ({ callIdentity }, values) =>
    callIdentity('/reset-password', { token: search.get('token') ?? '', ...values }),
  redirectTo: '/login',
  doneCode: isUndo(search) ? 'undone' : 'reset',
});

/** Confirms an address with the token in `?token=`. */
export const createConfirmAddressForm = (search: URLSearchParams): ShopForm<object> => ({
  name: 'confirm-address',
  fields: [],
  validate: () => ({ values: {} }),
  send: ({ callIdentity }) => callIdentity('/verify-email', { token: search.get('token') ?? '' }),
  redirectTo: '/confirm-address',
  doneCode: 'confirmed',
});

/** Replaces the signed-in user's address with the token in `?token=`. */
export const createChangeAddressForm = (search: URLSearchParams): ShopForm<object> => ({
  name: 'change-address',
  fields: [],
  validate: () => ({ values: {} }),
  send: ({ callIdentity }) => callIdentity('/confirm-email-change', { token: search.get('token') ?? '' }),
  redirectTo: '/change-address',
  doneCode: 'changed',
});

const signupSchema = z.object({ name: text('Name', 100), email: newEmail, password });

/** As specified, sign-up leads to Products, which then links to the page that the visitor came from. */
export function getSignupRedirect(search: URLSearchParams): string {
  const from = readReturnPath(search, '/products');
  return from === '/products' ? from : `/products?from=${encodeURIComponent(from)}`;
}

/** Creates an account and signs in with it. */
export const createSignupForm = (search: URLSearchParams): ShopForm<z.infer<typeof signupSchema>> => ({
  name: 'signup',
  fields: ['name', 'email', 'password'],
  secretFields: ['password'],
  validate: validateWith(signupSchema),
  send: ({ callIdentity }, credentials) => callIdentity('/sign-up/email', credentials),
  redirectTo: getSignupRedirect(search),
  // For a plain post: Products then says that a message was sent.
  findNextPage: () => {
    const path = getSignupRedirect(search);
    return `${path}${path.includes('?') ? '&' : '?'}done=signup`;
  },
});
