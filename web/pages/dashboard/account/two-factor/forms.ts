import { z } from 'zod';
import { twoFactorPage } from '../../../../../contract/page-addresses.ts';
import { IdentityError } from '../../../../client/api/identity.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm, type FormContext } from '../../../../forms/page-form.ts';
import { appCode } from '../../../sign-in/code.ts';

/* These forms need scripts, because the server could not show their results after a plain post. */

const donePage = () => twoFactorPage;

const recoveryCodes = z.object({ backupCodes: z.array(z.string()) });
const setUp = recoveryCodes.extend({
  totpURI: z.string(),
  qrCode: z.object({ path: z.string(), size: z.number() }),
});
export type SetUp = z.infer<typeof setUp>;

/** A change that asks for the password. */
const createPasswordForm = <Result>(name: string, path: string, response: z.ZodType<Result>) =>
  defineForm({
    name,
    fields: ['password'],
    secretFields: ['password'],
    access: 'user',
    validate: validateWith(z.object({ password: z.string().min(1, 'Password is Required') })),
    send: (context, body: { password: string }) => request(context, path, body, response),
    donePage,
  });

/** Creates a secret, which takes effect once the first code has been entered. */
export const setUpForm = createPasswordForm('two-factor-set-up', '/two-factor/enable', setUp);

/** Replaces the recovery codes. */
export const renewForm = createPasswordForm(
  'recovery-codes',
  '/two-factor/generate-backup-codes',
  recoveryCodes,
);

export const turnOffForm = createPasswordForm('two-factor-off', '/two-factor/disable', z.unknown());

/** Turns two-factor sign-in on after the set-up, or passes an admin's second step. */
export const codeForm = defineForm({
  name: 'two-factor-code',
  fields: ['code'],
  secretFields: ['code'],
  access: 'user',
  validate: validateWith(z.object({ code: appCode })),
  send: ({ callIdentity }, body: { code: string }) => callIdentity('/two-factor/verify-totp', body),
  donePage,
});

async function request<Result>(
  { callIdentity }: FormContext,
  path: string,
  body: object,
  response: z.ZodType<Result>,
): Promise<Result> {
  const { data, success } = response.safeParse(await callIdentity(path, body));
  if (!success) throw new IdentityError('Something went wrong. Reload the page and try again.');
  return data;
}
