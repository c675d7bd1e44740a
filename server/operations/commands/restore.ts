import { ShopError } from '../../../contract/errors.ts';
import { restoreBackup } from '../backup/restore.ts';
import { describeCounts } from '../backup/tables.ts';
import { runCommand } from './run.ts';

/** `npm run restore -- FILE` */
await runCommand(async (config, [file, ...more]) => {
  if (!file || file.startsWith('-') || more.length > 0)
    throw new ShopError('invalid', 'Name one backup file: npm run restore -- FILE');
  const { head, counts, mode } = await restoreBackup(config, file);
  return [
    `Restored the shop as of ${head.made}: ${describeCounts(counts)}.`,
    mode === 'sandbox'
      ? 'It is a sandbox: start it without the keys for Stripe and Google.'
      : 'It is live: start it with its keys for Stripe and Google, and stop any other instance. Open payments are settled automatically. For payments after the backup, check Stripe (docs/operations.md).',
    'Users stay signed in if AUTH_SECRET is the same as before (if it was unset, copy the file auth-secret from the old DATA_DIR). Otherwise they must sign in again, but lose nothing else.',
  ].join('\n');
});
