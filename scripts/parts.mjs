import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runChild } from './child.mjs';

/** The parts of dist/, with the build script and all sources of each. */
const parts = {
  pages: {
    script: 'build.ts',
    sources: ['web', 'contract', 'scripts', 'vite.config.ts', 'package-lock.json'],
  },
  server: {
    script: 'bundle.ts',
    sources: [
      'server',
      'sandbox',
      'contract',
      'seed',
      'scripts/built-name.ts',
      'scripts/bundle.ts',
      'scripts/preserved-calls.ts',
      'scripts/publish.ts',
      'scripts/test-exports.ts',
      'package-lock.json',
    ],
  },
};

/** The parts without a completed build of the current sources. */
export function listOutdated(root) {
  return Object.keys(parts).filter((part) => {
    try {
      return readFileSync(stampFile(root, part), 'utf8') !== makeStamp(root, part);
    } catch {
      return true;
    }
  });
}

/** Builds a part in a child process, to keep this one small. Throws an error with a message for the user. */
export async function buildPart(root, part) {
  console.error(`Building the ${part}…`);
  const stamp = makeStamp(root, part);
  rmSync(stampFile(root, part), { force: true });
  const script = pathToFileURL(join(root, 'scripts', parts[part].script)).href;
  const result = await runChild(
    process.execPath,
    ['--input-type=module', '--eval', `await (await import(${JSON.stringify(script)})).build();`],
    { cwd: root, stdio: ['ignore', 2, 2] },
  );
  if (result.code !== 0) throw new Error(`The ${part} could not be built; see the message above.`);
  mkdirSync(dirname(stampFile(root, part)), { recursive: true });
  writeFileSync(stampFile(root, part), stamp);
}

function stampFile(root, part) {
  return join(root, 'dist', `.${part}-stamp`);
}

function makeStamp(root, part) {
  const hash = createHash('sha256');
  for (const file of parts[part].sources.flatMap((source) => listFiles(root, source)))
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

function listFiles(root, path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stats) return [];
  // Tests and the demo's pictures are no part of a build.
  if (stats.isFile()) return /\.(test\.ts|webp)$/.test(path) ? [] : [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => listFiles(root, `${path}/${name}`));
}
