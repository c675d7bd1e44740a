import { ShopError } from '../../../contract/errors.ts';
import { email as emailField } from '../../../contract/fields.ts';
import { describeAccount, generatePassword, setPassword } from '../../identity/accounts.ts';
import { addMail } from '../../mail/outbox.ts';
import { commandLine as who, writeAudit } from '../../shop/audit/audit.ts';
import { readArgument, runDatabaseCommand } from './command.ts';

await runDatabaseCommand(async (database, args, { sendsMail }) => {
  const usage = 'Name one email address: npm run reset-password -- user@example.com';
  const email = readArgument(args, emailField, usage);
  const account = await describeAccount(database, email);
  if (!account) throw new ShopError('not_found', `There is no account with ${email}.`);
  const password = generatePassword();
  await setPassword(database, account.id, password, async (tx) => {
    await writeAudit(tx, { who, what: 'resetPassword', of: email, name: account.name });
    if (sendsMail) await addMail(tx, [{ kind: 'password changed', recipient: email, about: '' }]);
  });
  return `All sessions and other sign-in methods of ${email} were removed. The new password, shown only once: ${password}`;
});
