import { ShopError } from '../../../contract/errors.ts';
import { restoreBackup } from '../backup/restore.ts';
import { describeCounts } from '../backup/tables.ts';
import { runCommand } from './run.ts';

/** `npm run restore -- FILE` */
await runCommand(async (config, [file, ...more]) => {
  if (!file || file.startsWith('-') || more.length > 0)
    throw new ShopError('invalid', 'Name the file of one backup: npm run restore -- FILE');
  const { head, counts, mode } = await restoreBackup(config, file);
  return [
    `The shop is as it was on ${head.made}: ${describeCounts(counts)}.`,
    mode === 'sandbox'
      ? 'It is a sandbox: start it without the keys of Stripe and Google.'
      : 'It is live: start it with its keys of Stripe and Google, and nowhere else at the same time. Payments that had been begun are settled by themselves; look at Stripe for those of after the backup (docs/operations.md).',
    'Whoever was signed in stays so with the AUTH_SECRET of before (where it was unset, the file auth-secret in the old DATA_DIR); with another one everybody signs in again, and nothing else is lost.',
  ].join('\n');
});
