import { ShopError } from '../../../contract/errors.ts';
import { email as emailField } from '../../../contract/fields.ts';
import { createAccount, describeAccount, generatePassword, setPassword } from '../../identity/accounts.ts';
import { addMail } from '../../mail/outbox.ts';
import { commandLine as who, writeAudit } from '../../shop/audit/audit.ts';
import { makeAdmin } from '../../shop/users/admins.ts';
import { readArgument, runDatabaseCommand } from './command.ts';

/** `npm run make-admin -- you@example.com [--keep]` */
await runDatabaseCommand(async (database, args, { sendsMail }) => {
  const keep = args.includes('--keep');
  // A mistyped --keep must not set a new password.
  const email = readArgument(
    args.filter((arg) => arg !== '--keep'),
    emailField,
    'Name one email address: npm run make-admin -- you@example.com, optionally followed by --keep.',
  );
  const password = generatePassword();
  const name = email.split('@')[0] ?? email;
  const isNew = await createAccount(database, { email, name, password, role: 'admin' }, (tx) =>
    writeAudit(tx, { who, what: 'makeAdmin', of: email, name }),
  );
  if (isNew) return `${email} is a new account and an admin. Its password, shown only once: ${password}`;
  const account = await describeAccount(database, email);
  if (!account) throw new ShopError('conflict', `The account of ${email} has just been deleted: try again.`);
  // Someone else may have signed up with that address: their password must not open an admin's account.
  if (!keep)
    await setPassword(database, account.id, password, async (tx) => {
      await writeAudit(tx, { who, what: 'resetPassword', of: email, name: account.name });
      if (sendsMail) await addMail(tx, [{ kind: 'password changed', recipient: email, about: '' }]);
    });
  await makeAdmin(database, email, who);
  return keep
    ? `${email} is an admin. ${account.description} Its password and sessions were kept.`
    : `${email} is an admin. ${account.description} All its sessions and other sign-in methods were removed. Its new password, shown only once: ${password}`;
});
