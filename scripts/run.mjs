// node scripts/run.mjs [--dev] [--build | --build-pages] [--lean] [script [arguments]]
//
// Every command in package.json starts here, with any Node from 20 on. This script
// 1. installs missing packages of package-lock.json (--dev: development packages too),
// 2. continues with the Node that package.json pins,
// 3. builds the outdated parts of dist/ (--build) or only the parts that pages need (--build-pages), and on Linux links the pinned
//    Node to dist/node for systemd,
// 4. runs the script in this process (--lean: with less memory, for long-running ones).
import module from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lockFile = join(root, 'dist', '.lock');

const args = process.argv.slice(2);
const dev = takeFlag(args, '--dev');
const buildAll = takeFlag(args, '--build');
const build = takeFlag(args, '--build-pages') || buildAll;
// By default glibc gives every thread its own arena, returns little memory to the system and raises its thresholds as
// large blocks are freed. It reads these variables only when a process starts.
const mallocSettings = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
const lean = takeFlag(args, '--lean') ? { ...mallocSettings, ...process.env } : process.env;
const sameCommand = [...process.execArgv, ...process.argv.slice(1)];
// Replace this process with one that has these settings, where Node supports it.
if (process.platform === 'linux' && lean.MALLOC_ARENA_MAX !== process.env.MALLOC_ARENA_MAX)
  process.execve?.(process.execPath, [process.execPath, ...sameCommand], lean);

// Loaded only now, because the process that was replaced above doesn't need them.
const { endAs, endWithNpm, runChild } = await import('./child.mjs');
const { withLock } = await import('./lock.mjs');
const { findMissing, findPinnedNode, installPackages, linkNode, readLock } = await import('./packages.mjs');
const { buildPart, listOutdated } = await import('./parts.mjs');

endWithNpm();
if (await prepare()) await start();

/** Returns false if the pinned Node has already run the script in a child process. */
async function prepare() {
  try {
    const lock = readLock(root);
    await install(lock);
    const pinned = findPinnedNode(root, lock);
    if (pinned && process.version !== pinned.version) {
      endAs(await runChild(pinned.program, sameCommand, { stdio: 'inherit', env: lean }));
      return false;
    }
    if (!pinned && Number.parseInt(process.versions.node, 10) < 26)
      throw new Error(
        `The shop needs Node 26, and npm has no package of it for ${process.platform} ${process.arch}.`,
      );
    if (build && process.platform === 'linux') linkNode(root, pinned?.program ?? process.execPath);
    const listParts = () => listOutdated(root).filter((part) => buildAll || part === 'pages');
    if (build && listParts().length > 0)
      await withLock(lockFile, async () => {
        for (const part of listParts()) await buildPart(root, part);
      });
    return true;
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

async function install(lock) {
  if (!findMissing(root, lock, { dev })) return;
  await withLock(lockFile, async () => {
    if (findMissing(root, lock, { dev })) await installPackages(root, { dev });
  });
  const missing = findMissing(root, lock, { dev });
  if (missing) throw new Error(`${missing} could not be installed: check the network and start again.`);
}

async function start() {
  const [script, ...rest] = args;
  if (script === undefined) return;
  module.enableCompileCache(join(root, 'node_modules', '.cache', 'node'));
  const path = resolve(root, script);
  process.argv = [process.execPath, path, ...rest];
  await import(pathToFileURL(path).href);
}

function takeFlag(args, flag) {
  const index = args.indexOf(flag);
  // Flags after the script belong to the script.
  if (index < 0 || args.slice(0, index).some((arg) => !arg.startsWith('--'))) return false;
  args.splice(index, 1);
  return true;
}
