import { z } from 'zod';
import { newEmail, text, typedEmail } from '../../../contract/fields.ts';
import {
  changeAddressPage,
  confirmAddressPage,
  forgotPasswordPage,
  loginCodePage,
  loginPage,
  productsPage,
} from '../../../contract/page-addresses.ts';
import { readReturnPath } from '../../client/route-access.ts';
import { validateWith } from '../../forms/form-validation.ts';
import { defineForm } from '../../forms/page-form.ts';

/** The specified rules. The server also rejects the most common passwords. */
export const password = z.string().min(1, 'Password is Required').min(6, 'Must be 6 characters or longer');

export const passwordHint = 'At least 6 characters; 8 or more are better.';

/** Where to go after signing in: a path, which the page takes from its `?from=`. */
const from = z.string();

const credentials = z.object({ email: typedEmail, password, from });

/** The page of the second step, if the response to the first step asks for it. */
const findSecondStep = (response: unknown, returnPath: string): string | undefined =>
  response instanceof Object && 'twoFactorRedirect' in response
    ? `${loginCodePage}?from=${encodeURIComponent(returnPath)}`
    : undefined;

/** Signs in with the password, then continues to `from` or, with two-factor sign-in, to the second step. */
export const loginForm = defineForm({
  name: 'login',
  fields: ['email', 'password', 'from'],
  secretFields: ['password'],
  access: 'anyone',
  validate: validateWith(credentials),
  async send({ callIdentity }, { from: path, ...body }: z.output<typeof credentials>) {
    const response = await callIdentity('/sign-in/email', body);
    const returnPath = readReturnPath(path);
    return { nextPage: findSecondStep(response, returnPath) ?? returnPath };
  },
  donePage: ({ nextPage }) => nextPage,
});

const account = z.object({ name: text('Name', 100), email: newEmail, password, from });

/** As specified, sign-up leads to Products, which then links to the page that the visitor came from. */
export function getSignupRedirect(path: string | null): string {
  const returnPath = readReturnPath(path, productsPage);
  return returnPath === productsPage ? returnPath : `${productsPage}?from=${encodeURIComponent(returnPath)}`;
}

/** Creates an account and signs in with it. */
export const signupForm = defineForm({
  name: 'signup',
  fields: ['name', 'email', 'password', 'from'],
  secretFields: ['password'],
  access: 'anyone',
  validate: validateWith(account),
  async send({ callIdentity }, { from: path, ...body }: z.output<typeof account>) {
    await callIdentity('/sign-up/email', body);
    return { nextPage: getSignupRedirect(path) };
  },
  // The products page then says that a message was sent.
  donePage: ({ nextPage }) => `${nextPage}${nextPage.includes('?') ? '&' : '?'}done=signup`,
});

const forgot = z.object({ email: typedEmail });

/** Requests a message with a link to `/reset-password`. */
export const forgotForm = defineForm({
  name: 'forgot',
  fields: ['email'],
  access: 'anyone',
  validate: validateWith(forgot),
  send: ({ callIdentity }, body: z.output<typeof forgot>) => callIdentity('/request-password-reset', body),
  donePage: () => `${forgotPasswordPage}?done=sent`,
});

/** The token of the link in a message, which the page has in its `?token=`. */
const link = z.object({ token: z.string() });

const newPassword = link.extend({ newPassword: password, undo: z.string() });

/** Sets a new password with the token of a message, and ends all sessions. `undo`: the link also undoes a change of the address. */
export const resetForm = defineForm({
  name: 'reset',
  fields: ['newPassword', 'token', 'undo'],
  urlFields: ['token'],
  secretFields: ['newPassword'],
  access: 'anyone',
  validate: validateWith(newPassword),
  async send({ callIdentity }, { undo, ...body }: z.output<typeof newPassword>) {
    await callIdentity('/reset-password', body);
    return { nextPage: `${loginPage}?done=${undo ? 'undone' : 'reset'}` };
  },
  donePage: ({ nextPage }) => nextPage,
});

/** Confirms an address with the token of a message. */
export const confirmAddressForm = defineForm({
  name: 'confirm-address',
  fields: ['token'],
  urlFields: ['token'],
  access: 'user',
  validate: validateWith(link),
  send: ({ callIdentity }, body: z.output<typeof link>) => callIdentity('/verify-email', body),
  donePage: () => `${confirmAddressPage}?done=confirmed`,
});

/** Replaces the signed-in user's address with the token of a message. */
export const changeAddressForm = defineForm({
  name: 'change-address',
  fields: ['token'],
  urlFields: ['token'],
  access: 'user',
  validate: validateWith(link),
  send: ({ callIdentity }, body: z.output<typeof link>) => callIdentity('/confirm-email-change', body),
  donePage: () => `${changeAddressPage}?done=changed`,
});
