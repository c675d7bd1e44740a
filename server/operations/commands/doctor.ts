import { formatQuantity } from '../../../contract/health-format.ts';
import { runDoctor } from '../doctor/doctor.ts';
import { createReport } from '../doctor/report.ts';
import { runCommand } from './run.ts';

/** `npm run doctor`. Exit code 1 after an error. Creates no folder and no database. */
await runCommand(async (config) => {
  const report = createReport((line) => process.stdout.write(`${line}\n`));
  await runDoctor(config, report);
  const { error, warning } = report.counts;
  if (error > 0) process.exitCode = 1;
  return `\n${formatQuantity(error, 'error')}, ${formatQuantity(warning, 'warning')}.`;
});
