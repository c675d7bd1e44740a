import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** `npm run bench`: every question in turn; each also runs alone. */
for (const question of ['lists', 'home', 'orders']) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${question}.ts`)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
