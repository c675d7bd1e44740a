import { readConfig } from '../config.ts';
import { examine } from '../doctor/doctor.ts';
import { createReport } from '../doctor/report.ts';
import { ShopError } from '../errors.ts';

/** `npm run doctor`: exit code 1 where anything is wrong. Unlike other commands it makes no folder and no database. */
try {
  const report = createReport((line) => process.stdout.write(`${line}\n`));
  await examine(readConfig(), report);
  const { look, wrong } = report.found;
  process.stdout.write(`\n${wrong} wrong, ${look} to look at.\n`);
  if (wrong > 0) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof ShopError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
