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
      : 'It is live: start it with its keys for Stripe and Google, and stop any other instance. Open payments are settled automatically. For payments after the backup, check Stripe (docs/operations.md).',
    'Users stay signed in if AUTH_SECRET is the same as before (if it was unset, copy the file auth-secret from the old DATA_DIR). Otherwise they must sign in again, but lose nothing else.',
  ].join('\n');
});
