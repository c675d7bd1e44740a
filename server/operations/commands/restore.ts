import { restoreBackup } from '../backup/restore.ts';
import { describeCounts } from '../backup/tables.ts';
import { fileArgument, readArgument, runCommand } from './command.ts';

await runCommand(async (config, args) => {
  const file = readArgument(args, fileArgument, 'Name one backup file: npm run restore -- FILE');
  const { head, counts, isSandbox } = await restoreBackup(config, file);
  return [
    `Restored the shop as of ${head.made}: ${describeCounts(counts)}.`,
    isSandbox
      ? 'It is a sandbox: start it without the keys for Stripe and Google.'
      : `It is live: stop any other instance, and start this one with its keys for Stripe and Google. It first reads the payments and refunds since the backup from Stripe. To list them beforehand: npm run reconcile -- --since ${head.made}`,
    'Users stay signed in if AUTH_SECRET is the same as before (if it was unset, copy the file auth-secret from the old DATA_DIR). Otherwise they must sign in again, but lose nothing else.',
  ].join('\n');
});
