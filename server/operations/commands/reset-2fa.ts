import { ShopError } from '../../../contract/errors.ts';
import { email as emailField } from '../../../contract/fields.ts';
import { describeAccount } from '../../identity/accounts.ts';
import { removeTwoFactor } from '../../identity/two-factor/two-factor.ts';
import { addMail } from '../../mail/outbox.ts';
import { commandLine as who, writeAudit } from '../../shop/audit/audit.ts';
import { readArgument, runDatabaseCommand } from './command.ts';

/** For a user who has lost their phone and their recovery codes. */
await runDatabaseCommand(async (database, args, { sendsMail }) => {
  const usage = 'Name one email address: npm run reset-2fa -- user@example.com';
  const email = readArgument(args, emailField, usage);
  const account = await describeAccount(database, email);
  if (!account) throw new ShopError('not_found', `There is no account with ${email}.`);
  const wasOn = await removeTwoFactor(database, account.id, async (tx) => {
    await writeAudit(tx, { who, what: 'resetTwoFactor', of: email, name: account.name });
    if (sendsMail) await addMail(tx, [{ kind: 'two-factor off', recipient: email, about: '' }]);
  });
  return wasOn
    ? `Two-factor sign-in is off for ${email}, and all its sessions were removed. Its password is unchanged.`
    : `Two-factor sign-in was not on for ${email}. Nothing was changed.`;
});
