import { runDoctor } from '../doctor/doctor.ts';
import { createReport } from '../doctor/report.ts';
import { runCommand } from './run.ts';

/** `npm run doctor`: exit code 1 where anything is wrong. It makes no folder and no database. */
await runCommand(async (config) => {
  const report = createReport((line) => process.stdout.write(`${line}\n`));
  await runDoctor(config, report);
  const { look, wrong } = report.found;
  if (wrong > 0) process.exitCode = 1;
  return `\n${wrong} wrong, ${look} to look at.`;
});
