import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runChild } from './child.mjs';

/** What stands in the lock file: `packages` by their place (`node_modules/hono`), '' for the project itself. */
export function readLock(root) {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
}

/**
 * The first package that is needed on this machine and is not there as the lock file says, if any.
 * npm writes node_modules/.package-lock.json at the very end of an install, so a killed one shows here;
 * the folders are looked for as well, since a killed `npm ci` may have removed some and not that file.
 */
export function findMissing(root, lock, { dev }) {
  const installed = readInstalled(root);
  for (const [place, wanted] of Object.entries(lock.packages)) {
    if (place === '' || (wanted.dev && !dev)) continue;
    const there = installed[place];
    if (there ? there.version !== wanted.version : isNeeded(wanted)) return place;
    if (there && !existsSync(join(root, place, 'package.json'))) return place;
  }
  return undefined;
}

/** Installs exactly what the lock file says. Throws a sentence. */
export async function installPackages(root, { dev }) {
  console.error('Installing the packages that package-lock.json lists…');
  // Who has the development packages keeps them. NODE_ENV=production alone would leave them out.
  const withDev = dev || Object.values(readInstalled(root)).some((entry) => entry.dev);
  const args = [
    'ci',
    withDev ? '--include=dev' : '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  // Its talk goes to stderr: stdout belongs to the command that follows.
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  const cli = process.env.npm_execpath;
  const ended = await (cli && /^npm-cli\.c?js$/.test(basename(cli))
    ? runChild(process.env.npm_node_execpath ?? process.execPath, [cli, ...args], options)
    : runChild('npm', args, { ...options, shell: process.platform === 'win32' })
  ).catch((error) => {
    throw new Error(`npm could not be started (${error.code}): it comes with Node, and must be in the PATH.`);
  });
  if (ended.code !== 0)
    throw new Error(
      'The packages could not be installed: npm says why above. Starting again tries it again.',
    );
}

/** The program of the Node that package.json pins for this platform, and its version, if there is one. */
export function findPinnedNode(root, lock) {
  for (const name of Object.keys(lock.packages[''].optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    const entry = lock.packages[place];
    if (entry?.bin?.node && fitsMachine(entry))
      return { version: `v${entry.version}`, program: join(root, place, entry.bin.node) };
  }
  return undefined;
}

function readInstalled(root) {
  try {
    return JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')).packages;
  } catch {
    return {};
  }
}

/** npm leaves optional packages out that are made for other machines, and what only those use. */
function isNeeded(entry) {
  return entry.optional ? Boolean(entry.os && entry.cpu) && fitsMachine(entry) : true;
}

function fitsMachine({ os, cpu, libc }) {
  const fits = (list, value) => list === undefined || [list].flat().includes(value);
  return (
    fits(os, process.platform) && fits(cpu, process.arch) && (libc === undefined || fits(libc, findLibc()))
  );
}

/** Linux packages come for glibc and for musl, whose loader is found by its name. */
function findLibc() {
  const name = { x64: 'x86_64', arm64: 'aarch64' }[process.arch] ?? process.arch;
  return existsSync(`/lib/ld-musl-${name}.so.1`) ? 'musl' : 'glibc';
}
