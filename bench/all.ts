import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { short } from './report.ts';

/** `npm run bench`: every question in turn; each also runs alone. `--short` asks those that have a ratio to lose. */
const ratios = ['lists', 'home', 'orders', 'signed-in'];
const questions = short ? ratios : [...ratios, 'start', 'phone', 'growth', 'processes', 'memory'];
for (const question of questions) {
  const script = join(import.meta.dirname, `${question}.ts`);
  const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
