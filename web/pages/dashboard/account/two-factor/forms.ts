import { z } from 'zod';
import { IdentityError } from '../../../../client/api/identity.ts';
import { getSession } from '../../../../client/session.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { appCode } from '../../../sign-in/code.ts';

/** These forms need scripts, so they have no name and no action. */
export const passwordForm = {
  fields: ['password'],
  validate: validateWith(z.object({ password: z.string().min(1, 'Password is Required') })),
};

export const codeForm = {
  fields: ['code'],
  validate: validateWith(z.object({ code: appCode })),
};

const recoveryCodes = z.object({ backupCodes: z.array(z.string()) });
const setUp = recoveryCodes.extend({
  totpURI: z.string(),
  qrCode: z.object({ path: z.string(), size: z.number() }),
});
export type SetUp = z.infer<typeof setUp>;

/** Creates a secret, which takes effect once the first code has been entered. Throws `IdentityError` or `ApiError`. */
export const startSetUp = (password: string): Promise<SetUp> =>
  request(setUp, '/two-factor/enable', { password });

/** Replaces the recovery codes. Throws `IdentityError` or `ApiError`. */
export const renewRecoveryCodes = async (password: string): Promise<string[]> =>
  (await request(recoveryCodes, '/two-factor/generate-backup-codes', { password })).backupCodes;

/** Throws `IdentityError` or `ApiError`. */
export const turnOff = (password: string): Promise<unknown> =>
  request(z.unknown(), '/two-factor/disable', { password });

/** Throws `IdentityError` or `ApiError`. */
export const enterCode = (code: string): Promise<unknown> =>
  request(z.unknown(), '/two-factor/verify-totp', { code });

async function request<T>(response: z.ZodType<T>, path: string, body: object): Promise<T> {
  const { data, success } = response.safeParse(await getSession().callIdentity(path, body));
  if (!success) throw new IdentityError('Something went wrong. Reload the page and try again.');
  return data;
}
