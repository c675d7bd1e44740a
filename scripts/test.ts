import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** `npm test`: lint, types, then the tests; arguments are Vitest's own (`npm test -- orders`). */

const find = (path: string) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

check('Lint and format', find('@biomejs/biome/bin/biome'), ['check']);
check('Types', find('typescript/bin/tsc'), []);

console.log('\n— Tests —');
const vitest = find('vitest/vitest.mjs');
process.argv = [process.execPath, vitest, 'run', ...process.argv.slice(2)];
await import(pathToFileURL(vitest).href);

/** Runs one of the tools; the first that finds something ends the command with its exit code. */
function check(heading: string, program: string, args: string[]): void {
  console.log(`\n— ${heading} —`);
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
