import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import type { Report } from './report.ts';

const GB = 1e9;

/** What `statfs` calls file systems (man 2 statfs). */
const network = new Set([0x6969, 0xff534d42, 0xfe534d42, 0x517b, 0x01021997]);
const memory = new Set([0x01021994, 0x858458f6]);
const overlay = 0x794c7630;

/** The program that runs, and the folder where everything is kept. */
export function examineMachine(config: Config, report: Report): void {
  const major = Number.parseInt(process.versions.node, 10);
  if (major >= 26) report.ok(`Node ${process.versions.node}.`);
  else report.wrong(`Node is ${process.versions.node}, but the shop needs 26.`, 'Start it with `npm start`.');
  examineDataDir(config, report);
}

function examineDataDir(config: Config, report: Report): void {
  const { dataDir } = config;
  const isThere = existsSync(dataDir);
  let place = dataDir;
  while (!existsSync(place)) place = dirname(place);
  const name = `DATA_DIR (${dataDir})`;
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
  } catch {
    const whom = process.getuid ? ` by user ${process.getuid()}` : '';
    report.wrong(
      `${name} cannot be written into${whom}.`,
      'Give the folder to the user that runs the shop (chown), and run this command as that user.',
    );
    return;
  }
  if (!isThere) report.ok(`${name} is not there yet: the first start makes it.`);
  else examineOwner(dataDir, name, report);
  examineSpace(config, place, name, report);
}

function examineOwner(dataDir: string, name: string, report: Report): void {
  const { mode, uid } = statSync(dataDir);
  const me = process.getuid?.();
  if (me !== undefined && uid !== me)
    report.look(
      `${name} belongs to user ${uid}, and this command runs as user ${me}.`,
      'Run it as the user that runs the shop.',
    );
  // Windows has no such modes.
  const open =
    process.platform === 'win32'
      ? []
      : [dataDir, join(dataDir, 'shop.db'), join(dataDir, 'auth-secret')].filter(
          (path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0,
        );
  if (open.length > 0)
    report.look(
      `${open.join(', ')} may be read by other users of this machine (mode ${(mode & 0o777).toString(8)}).`,
      `chmod -R go= ${JSON.stringify(dataDir)}`,
    );
  else report.ok(`${name} can be written into, and is closed to other users.`);
}

function examineSpace(config: Config, place: string, name: string, report: Report): void {
  const { type, bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const isFile = 'file' in config.database;
  const say = `${name} has ${(free / GB).toFixed(1)} GB left`;
  if (free < 0.1 * GB)
    report.wrong(`${say}.`, 'Make room: a full disk stops orders, though it loses none that was answered.');
  else if (free < GB) report.look(`${say}.`, 'Make room, or move it to a larger disk.');
  else report.ok(`${say}.`);
  if (network.has(type) && isFile)
    // https://sqlite.org/wal.html: all processes must be on the same host.
    report.wrong(
      `${name} is on a network file system, where SQLite's file can break.`,
      'Set DATA_DIR to a disk of this machine, or DATABASE_URL to a PostgreSQL database.',
    );
  if (memory.has(type) && isFile)
    report.wrong(`${name} is in memory: a restart of the machine loses it.`, 'Set DATA_DIR to a disk.');
  if (type === overlay && isFile)
    report.look(
      `${name} is in the container's own layer, which goes with the container.`,
      'Mount a volume there, as compose.yaml does.',
    );
}
