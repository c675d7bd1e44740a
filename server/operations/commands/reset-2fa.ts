import { ShopError } from '../../../contract/errors.ts';
import { typedEmail } from '../../../contract/fields.ts';
import { describeAccount } from '../../identity/accounts.ts';
import { requireAddress, requireSettledAddress } from '../../identity/recovery/former-addresses.ts';
import { removeTwoFactor } from '../../identity/two-factor/two-factor.ts';
import { addMail } from '../../mail/outbox.ts';
import { commandLine } from '../../shop/audit/actor.ts';
import { writeAudit } from '../../shop/audit/audit.ts';
import { readArgument, runDatabaseCommand } from './command.ts';

/** For a user who has lost their phone and their recovery codes. */
await runDatabaseCommand(async (database, args, { sendsMail }) => {
  const usage = 'Name one email address: npm run reset-2fa -- user@example.com';
  const email = readArgument(args, typedEmail, usage);
  await requireSettledAddress(database.db, email);
  const account = await describeAccount(database, email);
  if (!account) throw new ShopError('not_found', `There is no account with ${email}.`);
  const isReset = await removeTwoFactor(database, account.id, async (tx, wasOn) => {
    // The address may have changed since the account was read.
    await requireSettledAddress(tx, email);
    await requireAddress(tx, account.id, email);
    await writeAudit(tx, {
      ...commandLine,
      action: 'resetTwoFactor',
      target: account.id,
      name: account.name,
    });
    const kind = wasOn ? 'two-factor off' : 'passkey removed';
    if (sendsMail) await addMail(tx, [{ kind, recipient: email, about: account.id }]);
  });
  return isReset
    ? `Two-factor sign-in is off for ${email}, and all its sessions and passkeys were removed. Its password is unchanged.`
    : `${email} has neither two-factor sign-in nor passkeys. Nothing was changed.`;
});
