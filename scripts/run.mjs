// node scripts/run.mjs [--dev] [--build] [--lean] [script [its arguments]]
//
// Every command of package.json starts here, with whatever Node the machine has (20 or newer): installs what
// package-lock.json lists and node_modules lacks (--dev: the development packages too), goes on with the Node
// that package.json pins, builds what changed (--build), then runs the script in this process (--lean: one that
// runs for long, and should take little memory).
import module from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endAs, endWithNpm, runChild } from './child.mjs';
import { findMissing, findPinnedNode, installPackages, readLock } from './packages.mjs';
import { buildPart, listOutdated } from './parts.mjs';
import { inTurn } from './turn.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const turn = join(root, 'dist', '.turn');

const args = process.argv.slice(2);
const dev = takeFlag(args, '--dev');
const build = takeFlag(args, '--build');
// glibc gives every thread an arena of its own, hands little of them back, and keeps more the larger the pieces were that
// it was given back; it reads this as a process begins.
const frugal = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
const lean = takeFlag(args, '--lean') ? { ...frugal, ...process.env } : process.env;
const sameAgain = [...process.execArgv, ...process.argv.slice(1)];
// In place of this process, where Node can do that.
if (process.platform === 'linux' && lean.MALLOC_ARENA_MAX !== process.env.MALLOC_ARENA_MAX)
  process.execve?.(process.execPath, [process.execPath, ...sameAgain], lean);

endWithNpm();
if (await prepare()) await start();

/** Gives whether the script is to run here: not where another Node ran it. */
async function prepare() {
  try {
    const lock = readLock(root);
    await install(lock);
    const pinned = findPinnedNode(root, lock);
    if (pinned && process.version !== pinned.version) {
      endAs(await runChild(pinned.program, sameAgain, { stdio: 'inherit', env: lean }));
      return false;
    }
    if (!pinned && Number.parseInt(process.versions.node, 10) < 26)
      throw new Error(
        `The shop needs Node 26, which does not come packed for ${process.platform} ${process.arch}.`,
      );
    if (build && listOutdated(root).length > 0)
      await inTurn(turn, async () => {
        for (const part of listOutdated(root)) await buildPart(root, part);
      });
    return true;
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

async function install(lock) {
  if (!findMissing(root, lock, { dev })) return;
  await inTurn(turn, async () => {
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
  const at = args.indexOf(flag);
  // What stands behind the script is the script's.
  if (at < 0 || args.slice(0, at).some((arg) => !arg.startsWith('--'))) return false;
  args.splice(at, 1);
  return true;
}
