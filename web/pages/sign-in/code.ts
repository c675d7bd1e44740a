import { z } from 'zod';
import { readReturnPath } from '../../client/route-access.ts';
import { validateWith } from '../../forms/form-validation.ts';
import { defineForm } from '../../forms/page-form.ts';

const required = z.string().trim().min(1, 'Code is Required');

/** The six digits of an authenticator app, which some show in two groups. */
export const appCode = required
  .transform((code) => code.replace(/[\s-]/g, ''))
  .pipe(z.string().regex(/^\d{6}$/, 'The code has 6 digits'));

const recoveryCode = required
  .transform((code) => code.toLowerCase().replace(/[^a-z0-9]/g, ''))
  .pipe(z.string().regex(/^[a-z0-9]{10}$/, 'A recovery code has 10 letters and digits'))
  .transform((code) => `${code.slice(0, 5)}-${code.slice(5)}`);

const step = {
  // A checkbox.
  trustDevice: z.string().transform((checked) => checked === 'on'),
  from: z.string(),
};

export const usesRecoveryCode = (search: URLSearchParams): boolean => search.get('use') === 'recovery-code';

/** A form for the second step of signing in, which then continues to `from`. */
const createCodeForm = (name: string, code: z.ZodType<string>, path: string) => {
  const values = z.object({ code, ...step });
  return defineForm({
    name,
    fields: ['code', 'trustDevice', 'from'],
    secretFields: ['code'],
    access: 'anyone',
    validate: validateWith(values),
    async send({ callIdentity }, { from, ...body }: z.output<typeof values>) {
      await callIdentity(path, body);
      return { nextPage: readReturnPath(from) };
    },
    donePage: ({ nextPage }) => nextPage,
  });
};

export const codeForm = createCodeForm('code', appCode, '/two-factor/verify-totp');
export const recoveryCodeForm = createCodeForm(
  'recovery-code',
  recoveryCode,
  '/two-factor/verify-backup-code',
);
