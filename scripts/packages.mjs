import { existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { runChild } from './child.mjs';

/** Parses the lock file. Its `packages` are keyed by path (`node_modules/hono`), '' for the project itself. */
export function readLock(root) {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
}

/**
 * Finds the first package that this machine needs and that is missing or has another version than in the lock file. npm
 * writes node_modules/.package-lock.json at the end of an install, so the file shows whether an install was interrupted. The
 * folders are checked, too, because an interrupted `npm ci` may have removed some of them but not the file.
 */
export function findMissing(root, lock, { dev }) {
  const installed = readInstalled(root);
  for (const [path, locked] of Object.entries(lock.packages)) {
    if (path === '' || (locked.dev && !dev)) continue;
    const entry = installed[path];
    if (entry ? entry.version !== locked.version : isNeeded(locked)) return path;
    if (entry && !existsSync(join(root, path, 'package.json'))) return path;
  }
  return undefined;
}

/** Installs the packages of the lock file. Throws an error with a message for the user. */
export async function installPackages(root, { dev }) {
  console.error('Installing the packages that package-lock.json lists…');
  // Keep installed development packages; with NODE_ENV=production npm would remove them.
  const withDev = dev || Object.values(readInstalled(root)).some((entry) => entry.dev);
  const args = [
    'ci',
    withDev ? '--include=dev' : '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const installed = new AbortController();
  void reportUnreachableRegistry(root, installed.signal);
  // npm writes to stderr; stdout belongs to the command that follows.
  const result = await runNpm(root, args, { stdio: ['ignore', 2, 2] }).catch((error) => {
    throw new Error(`npm could not be started (${error.code}). It comes with Node and must be in the PATH.`);
  });
  installed.abort();
  if (result.code !== 0)
    throw new Error(
      'The packages could not be installed; see npm’s message above. To retry, run the command again.',
    );
}

const registryTimeoutMs = 6000;

/** npm retries for minutes without any output. Meanwhile, a ping without retries checks whether the registry responds. */
async function reportUnreachableRegistry(root, installed) {
  const ping = ['ping', '--fetch-retries=0', '--loglevel=error'];
  const options = {
    stdio: 'pipe',
    signal: AbortSignal.any([installed, AbortSignal.timeout(registryTimeoutMs)]),
  };
  let errors = '';
  const read = (child) => child.stderr.on('data', (text) => (errors += text));
  const result = await runNpm(root, ping, options, read).catch(({ name }) => ({
    code: name === 'AbortError' ? 1 : 0,
  }));
  // A registry that does not support pings still responds, with an error such as E404.
  if (installed.aborted || result.code === 0 || /\bE[1-5]\d\d\b/.test(errors)) return;
  console.error(
    'npm’s registry does not respond: check the network connection. npm keeps trying for a while…',
  );
}

/** Runs the npm that runs this process, or the one in the PATH. */
function runNpm(root, args, options, started) {
  const cli = process.env.npm_execpath;
  return cli && /^npm-cli\.c?js$/.test(basename(cli))
    ? runChild(
        process.env.npm_node_execpath ?? process.execPath,
        [cli, ...args],
        { cwd: root, ...options },
        started,
      )
    : runChild('npm', args, { cwd: root, shell: process.platform === 'win32', ...options }, started);
}

/** The executable and version of the Node that package.json pins for this platform, if any. */
export function findPinnedNode(root, lock) {
  for (const name of Object.keys(lock.packages[''].optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    const entry = lock.packages[path];
    if (entry?.bin?.node && fitsMachine(entry))
      return { version: `v${entry.version}`, program: join(root, path, entry.bin.node) };
  }
  return undefined;
}

/**
 * Links the Node that runs the shop to `dist/node`, which the systemd units start. They cannot start `node_modules/.bin/node`:
 * several optional packages declare that program, and npm before version 11 then does not create it.
 */
export function linkNode(root, program) {
  const link = join(root, 'dist', 'node');
  const target = relative(dirname(link), program);
  if (readLink(link) === target) return;
  mkdirSync(dirname(link), { recursive: true });
  // Renamed into place, so that the link always exists, even if two builds run at once.
  const next = `${link}.${process.pid}`;
  symlinkSync(target, next);
  renameSync(next, link);
}

function readLink(path) {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function readInstalled(root) {
  try {
    return JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')).packages;
  } catch {
    return {};
  }
}

/** Whether npm installs a package. It skips optional packages for other platforms, and dependencies that only these have. */
function isNeeded(entry) {
  return entry.optional ? Boolean(entry.os && entry.cpu) && fitsMachine(entry) : true;
}

function fitsMachine({ os, cpu, libc }) {
  const fits = (list, value) => list === undefined || [list].flat().includes(value);
  return (
    fits(os, process.platform) && fits(cpu, process.arch) && (libc === undefined || fits(libc, findLibc()))
  );
}

/** Detects musl by its loader's file name. */
function findLibc() {
  const name = { x64: 'x86_64', arm64: 'aarch64' }[process.arch] ?? process.arch;
  return existsSync(`/lib/ld-musl-${name}.so.1`) ? 'musl' : 'glibc';
}
