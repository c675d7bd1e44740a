import { ShopError } from '../../../contract/errors.ts';
import { newEmail } from '../../../contract/fields.ts';
import type { Tx } from '../../database/schema.ts';
import { createAccount, describeAccount, generatePassword, setPassword } from '../../identity/accounts.ts';
import { requireAddress, requireSettledAddress } from '../../identity/recovery/former-addresses.ts';
import { lockUser } from '../../identity/session-endings.ts';
import { addMail } from '../../mail/outbox.ts';
import { commandLine } from '../../shop/audit/actor.ts';
import { writeAudit } from '../../shop/audit/audit.ts';
import { makeAdmin } from '../../shop/users/admins.ts';
import { readArgument, runDatabaseCommand } from './command.ts';

/** `npm run make-admin -- you@example.com [--keep]` */
await runDatabaseCommand(async (database, args, { sendsMail }) => {
  const keep = args.includes('--keep');
  // A mistyped --keep must not set a new password.
  const email = readArgument(
    args.filter((arg) => arg !== '--keep'),
    newEmail,
    'Name one email address: npm run make-admin -- you@example.com, optionally followed by --keep.',
  );
  await requireSettledAddress(database.db, email);
  const password = generatePassword();
  const name = email.split('@')[0] ?? email;
  const isNew = await createAccount(database, { email, name, password, role: 'admin' }, async (tx, id) => {
    await requireSettledAddress(tx, email);
    await writeAudit(tx, { ...commandLine, action: 'makeAdmin', target: id, name });
  });
  if (isNew) return `${email} is a new account and an admin. Its password, shown only once: ${password}`;
  const account = await describeAccount(database, email);
  if (!account) throw new ShopError('conflict', `The account of ${email} has just been deleted: try again.`);
  const promote = async (tx: Tx) => {
    await lockUser(database, tx, account.id);
    // The address may have changed since the account was read.
    await requireSettledAddress(tx, email);
    await requireAddress(tx, account.id, email);
    await makeAdmin(tx, email, commandLine);
  };
  if (keep) await database.transaction(promote);
  // Someone else may have signed up with that address: their password must not open an admin's account.
  else
    await setPassword(database, account.id, password, async (tx) => {
      await promote(tx);
      await writeAudit(tx, {
        ...commandLine,
        action: 'resetPassword',
        target: account.id,
        name: account.name,
      });
      if (sendsMail) await addMail(tx, [{ kind: 'password changed', recipient: email, about: account.id }]);
    });
  return keep
    ? `${email} is an admin. ${account.description} Its password and sessions were kept.`
    : `${email} is an admin. ${account.description} All its sessions and other sign-in methods were removed. Its new password, shown only once: ${password}`;
});
