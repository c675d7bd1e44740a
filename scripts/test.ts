import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { allTests, servedTests } from '../vitest.config.ts';

/**
 * `npm test`: builds `dist/`, checks lint and types, then runs the quick tests. `npm test -- orders` runs only the tests, quick and
 * long, whose path contains `orders`, and builds only what they need. `--watch` reruns the tests when files change. Further
 * arguments go to Vitest.
 */

const resolvePackageFile = (path: string) =>
  fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

const args = process.argv.slice(2);
const watch = args.includes('--watch');
const given = args.filter((argument) => argument !== '--watch');
const firstOption = given.findIndex((argument) => argument.startsWith('-'));
const names = firstOption < 0 ? given : given.slice(0, firstOption);
const isNamed = names.length > 0;

if (isNamed) {
  const files = findTests(names);
  if (files.length === 0) {
    console.error(`No test file’s path contains ${names.map((name) => `“${name}”`).join(' or ')}.`);
    process.exit(1);
  }
  const served = new Set(globSync(servedTests));
  if (files.some((file) => served.has(file)) || usesText(files, /'dist\/shop\b/))
    await run('scripts/run.mjs', '--build');
  else if (usesText(files, /['"/]dist['"/]/)) await run('scripts/run.mjs', '--build-pages');
} else {
  await run('scripts/run.mjs', '--build');
  if (!watch) {
    console.log('— Lint, format and types —');
    await Promise.all([
      run(resolvePackageFile('@biomejs/biome/bin/biome'), 'check'),
      run(resolvePackageFile('typescript/bin/tsc')),
    ]);
    console.log('\n— Tests —');
  }
}
const vitest = resolvePackageFile('vitest/vitest.mjs');
// Leave out the project `built`: it repeats tests of other projects against the build.
const project = isNamed ? '--project=!built' : '--project=quick';
process.argv = [process.execPath, vitest, ...(watch ? [] : ['run']), project, ...args];
await import(pathToFileURL(vitest).href);

/** Finds the files that Vitest runs for these names. A name may end with a line number. */
function findTests(names: string[]): string[] {
  const parts = names.map((name) => name.replace(/^\.\/|:\d+$/g, '').toLowerCase());
  return globSync(allTests).filter((file) =>
    parts.some((part) => resolve(file).replaceAll('\\', '/').toLowerCase().includes(part)),
  );
}

/** Whether one of the files, or a file of this project that they import, contains the text. */
function usesText(files: string[], text: RegExp): boolean {
  const modules = new Set(files.map((file) => resolve(file)));
  // The loop also visits the files that it adds.
  for (const file of modules) {
    const source = readFileSync(file, 'utf8');
    if (source.search(text) >= 0) return true;
    // Components don't read files.
    if (file.endsWith('.tsx')) continue;
    const imports = stripTypeScriptTypes(source).matchAll(/\b(?:from|import)\b[\s(]*'(\.[^']+\.tsx?)'/g);
    for (const [, path = ''] of imports) modules.add(resolve(dirname(file), path));
  }
  return false;
}

/** Runs a program to its end. If it fails, this process ends, too. */
async function run(program: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code]: (number | null)[] = await once(child, 'close');
  if (code !== 0) process.exit(code ?? 1);
}
