import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from './config.ts';
import { isDamaged, isLocked } from './database/trouble.ts';
import { ShopError } from './errors.ts';
import { describeCode, namingFile } from './file-errors.ts';

/** Makes DATA_DIR, for its owner alone. Throws one sentence if that, or writing into it, is not possible. */
export function makeDataDir({ dataDir }: Config): void {
  try {
    makeFolder(dataDir);
    writeProbe(join(dataDir, `probe-${randomUUID()}`));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new ShopError('bad_setting', describeCode(`DATA_DIR is ${JSON.stringify(dataDir)}, which`, code), {
      cause,
    });
  }
}

function writeProbe(file: string): void {
  try {
    writeFileSync(file, 'x');
  } finally {
    // A full disk may have taken the file but not its content.
    rmSync(file, { force: true });
  }
}

/** Not by `recursive`, which tries for ever below a folder like /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was first.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Takes DATA_DIR for this process alone if SQLite is in it: by a lock of the operating system on a file beside the
 * database, which ends with the process however that dies. Returns the function that releases it.
 */
export function takeDataDir(config: Config): () => void {
  makeDataDir(config);
  if (!('file' in config.database)) return () => undefined;
  const file = join(config.dataDir, 'server.lock');
  const lock = namingFile(file, () => new DatabaseSync(file));
  try {
    namingFile(file, () => lock.exec('pragma busy_timeout = 0; begin exclusive'));
    return () => lock.close();
  } catch (cause) {
    lock.close();
    if (isLocked(cause))
      throw new ShopError(
        'bad_setting',
        `DATA_DIR is ${JSON.stringify(config.dataDir)}, but another server runs on it: stop that one, or set another DATA_DIR.`,
        { cause },
      );
    if (isDamaged(cause))
      throw new ShopError('bad_setting', `${file} is damaged: delete it and start again.`, { cause });
    throw cause;
  }
}
