import { statSync } from 'node:fs';
import { ShopError } from '../../../contract/errors.ts';
import { shutdownSignals } from '../../config/signals.ts';
import { writeBackup } from '../backup/backup.ts';
import { describeCounts } from '../backup/tables.ts';
import { runCommand } from './run.ts';

/** `npm run backup -- FILE` */
await runCommand(async (config, [file, ...more]) => {
  // A mistyped option must not become a file name.
  if (!file || file.startsWith('-') || more.length > 0)
    throw new ShopError('invalid', 'Name one new file: npm run backup -- FILE');
  const stopping = new AbortController();
  for (const signal of shutdownSignals) process.once(signal, () => stopping.abort());
  const counts = await writeBackup(config, file, stopping.signal);
  const megabytes = (statSync(file).size / 1e6).toFixed(1);
  return `Backed up the whole shop to ${file}: ${describeCounts(counts)}, in ${megabytes} MB. Keep it where nobody else can read it. Store AUTH_SECRET and the keys for Stripe and Google separately: the backup does not include them.`;
});
