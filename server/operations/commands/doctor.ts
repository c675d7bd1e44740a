import { formatQuantity } from '../../../contract/admin/health-format.ts';
import { runDoctor } from '../doctor/doctor.ts';
import { runCommand } from './command.ts';

/** `npm run doctor`. Exit code 1 after an error. Creates no folder and no database. */
await runCommand(async (config) => {
  const { error, warning } = await runDoctor(config, (line) => process.stdout.write(`${line}\n`));
  if (error > 0) process.exitCode = 1;
  return `\n${formatQuantity(error, 'error')}, ${formatQuantity(warning, 'warning')}.`;
});
