import { ShopError } from '../../../contract/errors.ts';
import { typedEmail } from '../../../contract/fields.ts';
import type { Db } from '../../database/schema.ts';
import { describeAccount, generatePassword, setPassword } from '../../identity/accounts.ts';
import {
  findFormerUser,
  listFormerAddresses,
  requireAddress,
  requireSettledAddress,
} from '../../identity/recovery/former-addresses.ts';
import { restoreAddress } from '../../identity/recovery/replace-address.ts';
import { addMail } from '../../mail/outbox.ts';
import { moveAddress } from '../../shop/account-data/move-address.ts';
import { commandLine } from '../../shop/audit/actor.ts';
import { writeAudit } from '../../shop/audit/audit.ts';
import { readArgument, runDatabaseCommand } from './command.ts';

/**
 * `npm run reset-password -- user@example.com [--no-undo]`
 *
 * Gives the account to the owner of the named address. A former address is restored.
 */
await runDatabaseCommand(async (database, args, { sendsMail }) => {
  const noUndo = args.includes('--no-undo');
  const email = readArgument(
    args.filter((arg) => arg !== '--no-undo'),
    typedEmail,
    'Name one email address: npm run reset-password -- user@example.com, optionally followed by --no-undo.',
  );
  const { db } = database;
  const formerUser = await findFormerUser(db, email);
  const current = formerUser && (await getAddress(db, formerUser));
  const account = await describeAccount(database, current ?? email);
  if (!account) throw new ShopError('not_found', `There is no account with ${email}.`);
  const denied = (await listFormerAddresses(db, account.id)).filter((address) => address !== email);
  const password = generatePassword();
  await setPassword(database, account.id, password, async (tx) => {
    // The address may have changed since the account was read.
    if (formerUser && (await findFormerUser(tx, email)) === formerUser)
      await restoreAddress({ database, moveAddress, sendsMail }, tx, formerUser, email);
    else if (!noUndo) await requireSettledAddress(tx, email);
    await requireAddress(tx, account.id, email);
    await writeAudit(tx, { ...commandLine, action: 'resetPassword', target: account.id, name: account.name });
    if (sendsMail) await addMail(tx, [{ kind: 'password changed', recipient: email, about: account.id }]);
  });
  return [
    ...(current ? [`The account of ${current} has the address ${email} again.`] : []),
    ...(denied.length > 0 ? [`It can no longer be given back to ${denied.join(' or ')}.`] : []),
    `All sessions and other sign-in methods of ${email} were removed. The new password, shown only once: ${password}`,
  ].join('\n');
});

async function getAddress(db: Db, userId: string): Promise<string> {
  const user = db.selectFrom('user').select('email').where('id', '=', userId);
  return (await user.executeTakeFirstOrThrow()).email;
}
