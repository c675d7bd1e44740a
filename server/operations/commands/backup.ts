import { statSync } from 'node:fs';
import { shutdownSignals } from '../../config/signals.ts';
import { describeCounts } from '../backup/tables.ts';
import { writeBackup } from '../backup/write-backup.ts';
import { fileArgument, readArgument, runCommand } from './command.ts';

await runCommand(async (config, args) => {
  const file = readArgument(args, fileArgument, 'Name one new file: npm run backup -- FILE');
  const stopping = new AbortController();
  for (const signal of shutdownSignals) process.once(signal, () => stopping.abort());
  const counts = await writeBackup(config, file, stopping.signal);
  const megabytes = (statSync(file).size / 1e6).toFixed(1);
  return `Backed up the whole shop to ${file}: ${describeCounts(counts)}, in ${megabytes} MB. Keep it where nobody else can read it. Store AUTH_SECRET and the keys for Stripe and Google separately: the backup does not include them.`;
});
