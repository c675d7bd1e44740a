import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { short } from './report.ts';

/** `npm run bench`: runs all benchmarks one after another; each script also runs alone. `--short` runs those with a ratio. */
const withRatio = ['orders', 'signed-in'];
/** Needs the packaged Chromium. */
const onLinux = process.platform === 'linux' ? ['page-load'] : [];
const benchmarks = short
  ? withRatio
  : [...withRatio, 'start', ...onLinux, 'growth', 'back-office', 'search', 'memory', 'mail'];
for (const name of benchmarks) {
  const script = join(import.meta.dirname, `${name}.ts`);
  const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
