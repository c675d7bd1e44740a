import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runChild } from './child.mjs';

/** All that the build reads. */
const sources = [
  'web',
  'contract',
  'seed',
  'server/images',
  'scripts',
  'vite.config.ts',
  'package-lock.json',
];

/** Whether dist/ was built, to its end, from the sources as they are now. */
export function arePagesBuilt(root) {
  try {
    return readFileSync(stampFile(root), 'utf8') === makeStamp(root);
  } catch {
    return false;
  }
}

/** Builds dist/ in a process of its own, so that the shop's stays small. Throws a sentence. */
export async function buildPages(root) {
  console.error('Building the pages…');
  const stamp = makeStamp(root);
  rmSync(stampFile(root), { force: true });
  const script = pathToFileURL(join(root, 'scripts', 'build.ts')).href;
  const ended = await runChild(
    process.execPath,
    ['--input-type=module', '--eval', `await (await import(${JSON.stringify(script)})).build();`],
    { cwd: root, stdio: ['ignore', 2, 2] },
  );
  if (ended.code !== 0) throw new Error('The pages could not be built: the reason is above.');
  mkdirSync(dirname(stampFile(root)), { recursive: true });
  writeFileSync(stampFile(root), stamp);
}

function stampFile(root) {
  return join(root, 'dist', '.stamp');
}

function makeStamp(root) {
  const hash = createHash('sha256');
  for (const file of sources.flatMap((source) => listFiles(root, source)))
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

function listFiles(root, path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (!found) return [];
  if (found.isFile()) return path.endsWith('.test.ts') ? [] : [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => listFiles(root, `${path}/${name}`));
}
