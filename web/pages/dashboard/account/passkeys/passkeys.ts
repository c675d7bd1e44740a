import { z } from 'zod';
import { text } from '../../../../../contract/fields.ts';
import { passkeysPage } from '../../../../../contract/page-addresses.ts';
import { createPasskey } from '../../../../client/passkeys.ts';
import { getSession } from '../../../../client/session.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

const passkeys = z.array(z.object({ id: z.string(), name: z.string(), createdAt: z.string() }));
export type Passkey = z.infer<typeof passkeys>[number];

/** The password may be empty: the server knows whether there is one. */
const newPasskey = z.object({ name: text('Name', 100), password: z.string() });

/** The form needs scripts, as passkeys do. */
export const passkeyForm = defineForm({
  name: 'passkey',
  fields: ['name', 'password'],
  secretFields: ['password'],
  access: 'user',
  validate: validateWith(newPasskey),
  send: (_, { name, password }: z.output<typeof newPasskey>) => createPasskey(name, password),
  donePage: () => passkeysPage,
});

/** The user's passkeys, newest first. Throws `IdentityError`. */
export async function listPasskeys(): Promise<Passkey[]> {
  const listed = passkeys.parse(await getSession().callIdentity('/passkey/list-user-passkeys'));
  return listed.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
}

/** Throws `IdentityError` or `ApiError`. */
export async function removePasskey({ id }: Passkey, password: string): Promise<void> {
  await getSession().callIdentity('/passkey/delete-passkey', { id, password });
}
