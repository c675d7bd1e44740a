import { statSync } from 'node:fs';
import { ShopError } from '../../../contract/errors.ts';
import { endSignals } from '../../config/signals.ts';
import { writeBackup } from '../backup/backup.ts';
import { describeCounts } from '../backup/tables.ts';
import { runCommand } from './run.ts';

/** `npm run backup -- FILE` */
await runCommand(async (config, [file, ...more]) => {
  // A mistyped option is no file to write everything into.
  if (!file || file.startsWith('-') || more.length > 0)
    throw new ShopError('invalid', 'Name one file that is to be made: npm run backup -- FILE');
  const stopping = new AbortController();
  for (const signal of endSignals) process.once(signal, () => stopping.abort());
  const counts = await writeBackup(config, file, stopping.signal);
  const megabytes = (statSync(file).size / 1e6).toFixed(1);
  return `${file} has the whole shop: ${describeCounts(counts)}, in ${megabytes} MB. Keep it where nobody else can read it. AUTH_SECRET and the keys of Stripe and Google are not in it: keep them apart.`;
});
