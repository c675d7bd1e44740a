import { ShopError } from '../../../contract/errors.ts';
import { email as emailField } from '../../../contract/fields.ts';
import { describeAccount, generatePassword, setPassword } from '../../identity/accounts.ts';
import { commandLine as who, writeAudit } from '../../shop/audit/audit.ts';
import { runCommand } from './open.ts';

/** `npm run reset-password -- somebody@example.com` */
await runCommand(async (database, [address, ...more]) => {
  const { data: email } = emailField.safeParse(address);
  if (!email || more.length > 0)
    throw new ShopError('invalid', 'Name an e-mail address: npm run reset-password -- somebody@example.com');
  const known = await describeAccount(database, email);
  if (!known) throw new ShopError('not_found', `Nobody has an account with ${email}.`);
  const password = generatePassword();
  await setPassword(database, known.id, password, (tx) =>
    writeAudit(tx, { who, what: 'resetPassword', of: email, name: known.name }),
  );
  return `All sessions and other ways in of ${email} were ended. The new password, told this once: ${password}`;
});
