import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * `npm test`: checks lint and types, then runs the quick tests. `npm test -- orders` runs the tests, quick and long, whose path
 * contains `orders`. Further arguments go to Vitest.
 * `--watch` skips lint and types, and reruns the tests when files change.
 */

const resolvePackageFile = (path: string) =>
  fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

const args = process.argv.slice(2);
const watch = args.includes('--watch');
if (!watch) {
  console.log('— Lint, format and types —');
  const codes = await Promise.all([
    check(resolvePackageFile('@biomejs/biome/bin/biome'), ['check']),
    check(resolvePackageFile('typescript/bin/tsc'), []),
  ]);
  const failure = codes.find((code) => code !== 0);
  if (failure !== undefined) process.exit(failure ?? 1);
  console.log('\n— Tests —');
}
const vitest = resolvePackageFile('vitest/vitest.mjs');
const [name = ''] = args.filter((argument) => argument !== '--watch');
const isNamed = name !== '' && !name.startsWith('-');
// The project `built` runs the same files as others.
const project = isNamed ? '--project=!built' : '--project=quick';
process.argv = [process.execPath, vitest, ...(watch ? [] : ['run']), project, ...args];
await import(pathToFileURL(vitest).href);

/** Runs a tool to its end. Returns its exit code, or null if a signal ended it. */
async function check(program: string, args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code]: (number | null)[] = await once(child, 'close');
  return code ?? null;
}
