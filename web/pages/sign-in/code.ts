import { z } from 'zod';
import { readReturnPath } from '../../client/route-access.ts';
import { validateWith } from '../../forms/form-validation.ts';
import type { ShopForm } from '../../forms/shop-form.ts';

const required = z.string().trim().min(1, 'Code is Required');

/** The six digits of an authenticator app, which some show in two groups. */
export const appCode = required
  .transform((code) => code.replace(/[\s-]/g, ''))
  .pipe(z.string().regex(/^\d{6}$/, 'The code has 6 digits'));

const recoveryCode = required
  .transform((code) => code.toLowerCase().replace(/[^a-z0-9]/g, ''))
  .pipe(z.string().regex(/^[a-z0-9]{10}$/, 'A recovery code has 10 letters and digits'))
  .transform((code) => `${code.slice(0, 5)}-${code.slice(5)}`);

/** Checked: `true` from a script, `on` from a plain post. */
const trustDevice = z.unknown().transform((checked) => checked === true || checked === 'on');

type Values = { code: string; trustDevice: boolean };

export const usesRecoveryCode = (search: URLSearchParams): boolean => search.get('use') === 'recovery-code';

/** The second step of signing in, then continues to the path in `?from=`. */
export const createCodeForm = (search: URLSearchParams): ShopForm<Values> => {
  const isRecovery = usesRecoveryCode(search);
  return {
    name: isRecovery ? 'recovery-code' : 'code',
    fields: ['code', 'trustDevice'],
    secretFields: ['code'],
    validate: validateWith(z.object({ code: isRecovery ? recoveryCode : appCode, trustDevice })),
    send: ({ callIdentity }, values) =>
      callIdentity(`/two-factor/${isRecovery ? 'verify-backup-code' : 'verify-totp'}`, values),
    redirectTo: readReturnPath(search),
  };
};
